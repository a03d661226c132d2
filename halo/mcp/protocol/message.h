// One message of the protocol: JSON-RPC 2.0, one JSON object on a line. Malformed messages become
// values that carry the error to reply with. What methods mean is decided elsewhere.
#ifndef HALO_MCP_PROTOCOL_MESSAGE_H_
#define HALO_MCP_PROTOCOL_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/json/json_reader.h"

namespace halo::mcp {

// Requests are small: a longer line is not read as one.
inline constexpr size_t kMaxMessage = size_t{1} << 20;

enum class RpcError : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
  kNoResource = -32002,
};

struct Message {
  enum class Kind : uint8_t {
    kRequest,
    kNotification,
    kResponse,  // to a request that this side never makes
    kMalformed,
  };

  Kind kind = Kind::kMalformed;
  std::string id;  // as JSON: a string or an integer; "null" if it is unknown
  std::string method;
  JsonValue params;
  // Of a malformed message.
  RpcError error = RpcError::kParse;
  std::string problem;

  // What the client wants progress to be reported under, as JSON; empty if it wants none.
  [[nodiscard]] std::string ProgressToken() const;
};

Message ReadMessage(std::string_view line);

// Each returns one line without its newline. `result` and `params` are JSON.
std::string ResultMessage(std::string_view id, std::string_view result);
std::string ErrorMessage(std::string_view id, RpcError error, std::string_view problem);
std::string NotificationMessage(std::string_view method, std::string_view params);
std::string ProgressMessage(std::string_view token, int64_t progress, std::string_view message);

// Splits a stream into lines. A line beyond kMaxMessage is reported once, without its text.
class LineBuffer {
 public:
  void Add(std::string_view bytes);
  // False if there is no complete line. `is_too_long` means that a line was dropped.
  bool Next(std::string& line, bool& is_too_long);
  // What is left when the stream ends; false if there is nothing.
  bool Last(std::string& line);

 private:
  std::string bytes_;
  size_t searched_ = 0;
  bool is_dropping_ = false;
};

}  // namespace halo::mcp

#endif  // HALO_MCP_PROTOCOL_MESSAGE_H_

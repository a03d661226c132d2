// One message of JSON-RPC 2.0, which both the Model Context Protocol and the Language Server
// Protocol are made of. Malformed messages become values that carry the error to reply with. How
// messages are framed is up to line_buffer.h and frame_buffer.h; what methods mean is decided
// elsewhere.
#ifndef HALO_RPC_MESSAGE_H_
#define HALO_RPC_MESSAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/json/json_reader.h"

namespace halo::rpc {

// Requests are small unless they carry a document: a longer message is not read.
inline constexpr size_t kMaxMessage = size_t{1} << 20;

enum class RpcError : int {
  kParse = -32700,
  kInvalidRequest = -32600,
  kNoMethod = -32601,
  kInvalidParams = -32602,
  kInternal = -32603,
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
};

Message ReadMessage(std::string_view text, size_t longest = kMaxMessage);

// An id or a token as JSON; empty if it is neither a string nor an integer.
std::string IdText(const JsonValue& value);

// Each returns one line without its newline. `result` and `params` are JSON.
std::string ResultMessage(std::string_view id, std::string_view result);
std::string ErrorMessage(std::string_view id, RpcError error, std::string_view problem);
std::string NotificationMessage(std::string_view method, std::string_view params);

}  // namespace halo::rpc

#endif  // HALO_RPC_MESSAGE_H_

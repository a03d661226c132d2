// The answer of a tool: a conclusion, a few figures, and a list of which as many rows are sent as
// fit. The whole message never exceeds kMaxReply; a cursor leads to the remaining rows. Tools
// decide on the contents, this code on the size.
#ifndef HALO_MCP_REPLY_TOOL_REPLY_H_
#define HALO_MCP_REPLY_TOOL_REPLY_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/json/json_reader.h"
#include "halo/mcp/protocol/protocol.h"

namespace halo::mcp {

// Bytes of a message with its newline.
inline constexpr size_t kMaxReply = 8192;
// Bytes of an id that is echoed in it.
inline constexpr size_t kMaxId = 256;

struct ToolReply {
  std::string conclusion;
  JsonValue figures = MakeObject();
  // Rows `first` to `total`, made when they are sent.
  std::function<JsonValue(size_t)> row = {};
  size_t first = 0, total = 0;
  size_t longest_cell = 160;      // bytes of a string in a row
  std::vector<std::string> next;  // what to ask next
  // Why there is no reply, and what to ask instead; empty if there is one.
  std::string problem, instead;
};

ToolReply Refuse(std::string_view problem, std::string_view instead);
ToolReply Refuse(const Diagnostic& why, std::string_view instead = {});

// A position in a list, valid for the same request only.
std::string CursorText(size_t position, std::string_view request);
// Nothing if the text is not a cursor of this request.
std::optional<size_t> PositionOf(std::string_view cursor, std::string_view request);

// The result of tools/call as JSON: text for a reader and the same as structured content. `request`
// identifies what was asked, for the cursor.
std::string ToolResultJson(const ToolReply& reply, std::string_view request);
// The text alone.
std::string ReplyText(const ToolReply& reply, std::string_view request);

}  // namespace halo::mcp

#endif  // HALO_MCP_REPLY_TOOL_REPLY_H_

// A token is echoed as it was written.
#include "halo/mcp/protocol/protocol.h"

namespace halo::mcp {

std::string ProgressToken(const Message& message) {
  return IdText(message.params["_meta"]["progressToken"]);
}

std::string ProgressMessage(std::string_view token, int64_t progress, std::string_view message) {
  return NotificationMessage("notifications/progress",
                             "{\"progressToken\":" + std::string(token) +
                                 ",\"progress\":" + std::to_string(progress) +
                                 ",\"message\":" + CompactJson(MakeText(message)) + "}");
}

}  // namespace halo::mcp

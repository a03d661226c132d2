// One client's messages: answers at once what needs no program, queues the rest, and cancels.
#ifndef TOOLS_HALO_MCP_MCP_FRONT_H_
#define TOOLS_HALO_MCP_MCP_FRONT_H_

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "halo/mcp/server/server.h"
#include "tools/halo/mcp/call_queue.h"

namespace halo::tool {

class McpFront {
 public:
  explicit McpFront(const QueueOptions& options);

  // Takes one line. `send` may be called later, from another thread; `ended` is called when nothing
  // more will be sent for this message.
  void Take(const std::string& line, const mcp::Sender& send, std::function<void()> ended = {});
  // For a line that was dropped because it is too long.
  static void RefuseLongLine(const mcp::Sender& send);
  // Ends what is under way.
  void Abandon() { queue_.Abandon(); }

 private:
  std::mutex mutex_;
  mcp::Server server_;  // one message at a time; reads no program
  CallQueue queue_;
};

// Standard input to standard output, until the input ends; queued calls are still answered.
void ServeStdio(const QueueOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_MCP_MCP_FRONT_H_

// Each message is one line.
#include "tools/halo/mcp/mcp_front.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "halo/mcp/protocol/protocol.h"
#include "tools/halo/serve/message_writer.h"

namespace halo::tool {

McpFront::McpFront(const QueueOptions& options)
    : server_(*mcp::Roots::Make(options.roots)), queue_(options) {}

void McpFront::Take(const std::string& line, const mcp::Sender& send, std::function<void()> ended) {
  mcp::Message message = mcp::ReadMessage(line);
  const bool is_request = message.kind == mcp::Message::Kind::kRequest;
  if (is_request && mcp::ReadsPrograms(message) && message.id.size() <= mcp::kMaxId) {
    // Newlines within a message would end it for the worker.
    std::string flat = line;
    for (char& c : flat) {
      if (c == '\n' || c == '\r') c = ' ';
    }
    return queue_.Add({std::move(message), std::move(flat), send, std::move(ended)});
  }
  if (message.kind == mcp::Message::Kind::kNotification &&
      message.method == "notifications/cancelled") {
    queue_.Cancel(mcp::CompactJson(message.params["requestId"]));
  }
  {
    const std::lock_guard lock(mutex_);
    server_.Handle(message, send);
  }
  if (ended) ended();
}

void McpFront::RefuseLongLine(const mcp::Sender& send) {
  send(mcp::ErrorMessage("null", mcp::RpcError::kInvalidRequest,
                         "the message is longer than 1 MiB"));
}

void ServeStdio(const QueueOptions& options) {
  std::signal(SIGPIPE, SIG_IGN);
  MessageWriter writer;
  const mcp::Sender send = [&](std::string line) { writer.Write(line += '\n'); };
  McpFront front(options);
  mcp::LineBuffer lines;
  std::array<char, 65536> part;  // NOLINT: filled below
  std::string line;
  while (true) {
    const ssize_t got = read(STDIN_FILENO, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    lines.Add({part.data(), static_cast<size_t>(got)});
    bool is_too_long = false;
    while (lines.Next(line, is_too_long)) {
      if (is_too_long) {
        McpFront::RefuseLongLine(send);
      } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
        front.Take(line, send);
      }
    }
  }
  if (lines.Last(line) && line.find_first_not_of(" \t\r\n") != std::string::npos) {
    front.Take(line, send);
  }
}

}  // namespace halo::tool

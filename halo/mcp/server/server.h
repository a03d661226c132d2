// The server's side of the protocol: takes one message, sends what answers it. Never prints, and
// reads no file outside its folders. Starting processes, threads and streams are left to the
// caller.
#ifndef HALO_MCP_SERVER_SERVER_H_
#define HALO_MCP_SERVER_SERVER_H_

#include <functional>
#include <string>
#include <string_view>

#include "halo/mcp/files/workspace.h"
#include "halo/mcp/protocol/protocol.h"
#include "halo/mcp/reply/tool.h"

namespace halo::mcp {

inline constexpr std::string_view kLatestProtocol = "2025-11-25";

// The version to speak with a client that asks for one: the same if it is known, else the latest.
std::string_view NegotiatedVersion(std::string_view asked);

// True for requests that read programs and may take long.
bool ReadsPrograms(const Message& message);
// True for calls of tools that run programs.
bool RunsProgram(const Message& message);

// Takes a line without its newline.
using Sender = std::function<void(std::string line)>;

class Server {
 public:
  // Without a runner, tools that run programs refuse to.
  explicit Server(Roots roots, Runner runner = {});

  void Handle(std::string_view line, const Sender& send);
  void Handle(const Message& message, const Sender& send);

 private:
  void CallTool(const Message& message, const Sender& send);
  void ListResources(const Message& message, const Sender& send);
  void ReadResource(const Message& message, const Sender& send);

  Workspace workspace_;
  Runner runner_;
};

// Results of prompts/list and prompts/get as JSON; empty if there is no such prompt.
std::string PromptsJson();
std::string PromptJson(const JsonValue& params, std::string& problem);

}  // namespace halo::mcp

#endif  // HALO_MCP_SERVER_SERVER_H_

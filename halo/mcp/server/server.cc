// One method after the other. Notifications are never answered.
#include "halo/mcp/server/server.h"

#include <algorithm>
#include <array>
#include <utility>

#include "halo/api/document/version.h"
#include "halo/mcp/tools/tool_list.h"

namespace halo::mcp {
namespace {

constexpr std::array<std::string_view, 4> kVersions = {kLatestProtocol, "2025-06-18", "2025-03-26",
                                                       "2024-11-05"};

constexpr std::string_view kInstructions =
    "Haloscope answers questions about XLA programs: HLO text, HloProto and dump folders. Call "
    "`list` for the programs that can be read, or `open` with a path; use the `program` it returns "
    "with the other tools. Four questions: memory (does it fit?), check (is it right?), time (is "
    "it fast?), diff (what changed?). Answers lead with the conclusion; `cursor` gives more rows. "
    "Instructions are identified by name, programs by path; both stay valid.";

std::string InitializeJson(const JsonValue& params) {
  JsonValue result = MakeObject();
  Put(result, "protocolVersion", NegotiatedVersion(params["protocolVersion"].AsString()));
  JsonValue capabilities = MakeObject();
  for (const std::string_view each : {"tools", "resources", "prompts"}) {
    Put(capabilities, each, MakeObject());
  }
  Put(result, "capabilities", std::move(capabilities));
  JsonValue own = MakeObject();
  Put(own, "name", "haloscope");
  Put(own, "title", "Haloscope");
  Put(own, "version", Version());
  Put(result, "serverInfo", std::move(own));
  Put(result, "instructions", kInstructions);
  return CompactJson(result);
}

std::string ToolsJson() {
  JsonValue tools = MakeArray();
  for (const Tool& tool : AllTools()) tools.items.push_back(DescribeTool(tool));
  JsonValue result = MakeObject();
  Put(result, "tools", std::move(tools));
  return CompactJson(result);
}

// Identifies a call for its cursor.
std::string RequestText(std::string_view tool, const JsonValue& arguments) {
  std::string text(tool);
  for (size_t i = 0; i < arguments.keys.size(); ++i) {
    if (arguments.keys[i] == "cursor") continue;
    text += ";" + arguments.keys[i] + "=" + CompactJson(arguments.items[i]);
  }
  return text;
}

}  // namespace

std::string_view NegotiatedVersion(std::string_view asked) {
  const bool is_known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  return is_known ? asked : kLatestProtocol;
}

bool ReadsPrograms(const Message& message) {
  return message.method == "tools/call" || message.method == "resources/list" ||
         message.method == "resources/read";
}

bool RunsProgram(const Message& message) {
  if (message.method != "tools/call") return false;
  const Tool* tool = FindTool(message.params["name"].AsString());
  return tool != nullptr && tool->runs_programs;
}

Server::Server(Roots roots, Runner runner)
    : workspace_(std::move(roots)), runner_(std::move(runner)) {}

void Server::Handle(std::string_view line, const Sender& send) { Handle(ReadMessage(line), send); }

void Server::Handle(const Message& message, const Sender& send) {
  if (message.kind == Message::Kind::kMalformed) {
    return send(ErrorMessage(message.id, message.error, message.problem));
  }
  if (message.kind != Message::Kind::kRequest) return;
  if (message.id.size() > kMaxId) {
    return send(ErrorMessage("null", RpcError::kInvalidRequest, "the id is too long"));
  }
  const std::string& method = message.method;
  const auto reply = [&](std::string_view result) { send(ResultMessage(message.id, result)); };
  if (method == "initialize") return reply(InitializeJson(message.params));
  if (method == "ping") return reply("{}");
  if (method == "tools/list") return reply(ToolsJson());
  if (method == "tools/call") return CallTool(message, send);
  if (method == "resources/list") return ListResources(message, send);
  if (method == "resources/read") return ReadResource(message, send);
  if (method == "resources/templates/list") {
    return reply(
        R"({"resourceTemplates":[{"uriTemplate":"halo://report/{tool}/{+program}","name":"report",)"
        R"("title":"A report about a program: tool is open, info, memory, time, check or advice",)"
        R"("mimeType":"text/plain"},{"uriTemplate":"halo://text/{line}/{+program}","name":"text",)"
        R"("title":"The text of a program from a line on","mimeType":"text/plain"}]})");
  }
  if (method == "prompts/list") return reply(PromptsJson());
  if (method == "prompts/get") {
    std::string problem;
    const std::string prompt = PromptJson(message.params, problem);
    if (prompt.empty()) return send(ErrorMessage(message.id, RpcError::kInvalidParams, problem));
    return reply(prompt);
  }
  std::string name = method.substr(0, 100);
  send(ErrorMessage(message.id, RpcError::kNoMethod, "there is no method " + name));
}

void Server::CallTool(const Message& message, const Sender& send) {
  const std::string_view name = message.params["name"].AsString();
  const Tool* tool = FindTool(name);
  if (tool == nullptr) {
    std::string names;
    for (const Tool& each : AllTools())
      names += (names.empty() ? "" : ", ") + std::string(each.name);
    return send(ErrorMessage(
        message.id, RpcError::kInvalidParams,
        "there is no tool " + std::string(name.substr(0, 100)) + "; there are " + names));
  }
  const JsonValue& arguments = message.params["arguments"];
  const std::string request = RequestText(name, arguments);
  const auto respond = [&](const ToolReply& made) {
    send(ResultMessage(message.id, ToolResultJson(made, request)));
  };
  const ToolReply wrong = CheckArguments(*tool, arguments);
  if (!wrong.problem.empty()) return respond(wrong);
  size_t first = 0;
  if (const std::string_view cursor = arguments["cursor"].AsString(); !cursor.empty()) {
    const std::optional<size_t> position = PositionOf(cursor, request);
    if (!position) {
      return respond(Refuse("this cursor belongs to another request",
                            "repeat the request that returned it with the same arguments, or leave "
                            "`cursor` out"));
    }
    first = *position;
  }
  const std::string token = ProgressToken(message);
  int64_t steps = 0;
  const Progress progress = [&](std::string_view text) {
    if (!token.empty()) send(ProgressMessage(token, ++steps, text));
  };
  ToolReply reply = tool->reply({arguments, workspace_, runner_, progress});
  if (reply.problem.empty() && first != 0) {
    if (first >= reply.total) {
      return respond(Refuse("there are no rows after this cursor: the file has changed",
                            "repeat the request without `cursor`"));
    }
    reply.first = first;
  }
  respond(reply);
}

}  // namespace halo::mcp

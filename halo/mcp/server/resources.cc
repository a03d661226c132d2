// Resources: the programs below the folders, reports about them and their text. Each is the answer
// of a tool, so its size is bounded as well.
#include <charconv>

#include "halo/dump/select.h"
#include "halo/mcp/server/server.h"
#include "halo/mcp/tools/tool_list.h"

namespace halo::mcp {
namespace {

constexpr std::string_view kReport = "halo://report/";
constexpr std::string_view kText = "halo://text/";
constexpr size_t kPage = 20;

// As in an address: everything but letters, digits and -._~/ is escaped.
std::string EscapedPath(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                          (c >= 'a' && c <= 'z') || c == '/' || c == '-' || c == '.' || c == '_' ||
                          c == '~';
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[static_cast<unsigned char>(c) >> 4U];
      out += kHex[static_cast<unsigned char>(c) & 15U];
    }
  }
  return out;
}

std::string UnescapedPath(std::string_view path) {
  std::string out;
  for (size_t i = 0; i < path.size(); ++i) {
    unsigned code = 0;
    if (path[i] == '%' && i + 2 < path.size() &&
        std::from_chars(path.data() + i + 1, path.data() + i + 3, code, 16).ptr ==
            path.data() + i + 3) {
      out += static_cast<char>(code);
      i += 2;
    } else {
      out += path[i];
    }
  }
  return out;
}

JsonValue ResourceEntry(const std::string& program, std::string_view report) {
  JsonValue entry = MakeObject();
  Put(entry, "uri",
      std::string_view(std::string(kReport) + std::string(report) + "/" + EscapedPath(program)));
  Put(entry, "name", std::string_view(program));
  Put(entry, "title", std::string_view(std::string(report) + " of " + program));
  Put(entry, "mimeType", "text/plain");
  return entry;
}

// The call that a resource names; an empty tool if there is none.
std::string CallOf(std::string_view uri, JsonValue& arguments) {
  arguments = MakeObject();
  const bool is_report = uri.starts_with(kReport);
  if (!is_report && !uri.starts_with(kText)) return {};
  uri.remove_prefix(is_report ? kReport.size() : kText.size());
  const size_t slash = uri.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view first = uri.substr(0, slash);
  const std::string program = UnescapedPath(uri.substr(slash + 1));
  if (!is_report) {
    const std::optional<int64_t> line = ParseInt(first);
    if (!line) return {};
    Put(arguments, "program", std::string_view(program));
    Put(arguments, "from", *line);
    Put(arguments, "lines", 1000);
    return "text";
  }
  for (const std::string_view each : {"open", "info", "memory", "time", "check", "advice"}) {
    if (first != each) continue;
    Put(arguments, each == "open" ? "path" : "program", std::string_view(program));
    return std::string(each);
  }
  return {};
}

}  // namespace

void Server::ListResources(const Message& message, const Sender& send) {
  const std::string_view cursor = message.params["cursor"].AsString();
  const std::optional<size_t> first =
      cursor.empty() ? std::optional<size_t>(0) : PositionOf(cursor, "resources");
  if (!first) {
    return send(ErrorMessage(message.id, RpcError::kInvalidParams,
                             "this is not a cursor of resources/list"));
  }
  std::vector<std::string> programs;
  for (const std::string& folder : workspace_.roots().folders()) {
    const Result<Dump> dump = Workspace::Index(folder);
    if (!dump) continue;
    for (const DumpModule& module : dump->modules) {
      const int32_t stage = MainStage(*dump, module);
      if (stage < 0) continue;
      const int32_t file = dump->ModuleFileOf(module.stages[static_cast<size_t>(stage)]);
      if (file >= 0) programs.push_back(workspace_.roots().Shown(dump->PathOf(file)));
    }
  }
  JsonValue list = MakeArray();
  size_t i = *first;
  for (; i < programs.size() && i < *first + kPage; ++i) {
    JsonValue more = list;
    for (const std::string_view report : {"memory", "time"}) {
      more.items.push_back(ResourceEntry(programs[i], report));
    }
    if (CompactJson(more).size() > kMaxReply - 2 * kMaxId && i != *first) break;
    list = std::move(more);
  }
  JsonValue result = MakeObject();
  Put(result, "resources", std::move(list));
  if (i < programs.size()) {
    Put(result, "nextCursor", std::string_view(CursorText(i, "resources")));
  }
  send(ResultMessage(message.id, CompactJson(result)));
}

void Server::ReadResource(const Message& message, const Sender& send) {
  const std::string_view uri = message.params["uri"].AsString();
  JsonValue arguments;
  const std::string name = CallOf(uri.substr(0, kMaxReply), arguments);
  const Tool* tool = FindTool(name);
  if (tool == nullptr || uri.size() > 2000) {
    return send(ErrorMessage(message.id, kNoResource,
                             "there is no such resource; resources/list names some, and "
                             "resources/templates/list says how others are named"));
  }
  const Progress progress = [](std::string_view) {};
  const ToolReply reply = tool->reply({arguments, workspace_, runner_, progress});
  if (!reply.problem.empty()) {
    return send(ErrorMessage(message.id, kNoResource, ReplyText(reply, name)));
  }
  JsonValue content = MakeObject();
  Put(content, "uri", uri.size() < 1000 ? uri : uri.substr(0, 1000));
  Put(content, "mimeType", "text/plain");
  Put(content, "text", std::string_view(ReplyText(reply, name)));
  JsonValue contents = MakeArray();
  contents.items.push_back(std::move(content));
  JsonValue result = MakeObject();
  Put(result, "contents", std::move(contents));
  send(ResultMessage(message.id, CompactJson(result)));
}

}  // namespace halo::mcp

// What a tool is: a name, what it takes and what it gives, as tables from which its schemas are
// made and its arguments are checked. Each tool is a function in halo/mcp/tools.
#ifndef HALO_MCP_REPLY_TOOL_H_
#define HALO_MCP_REPLY_TOOL_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/mcp/files/workspace.h"
#include "halo/mcp/reply/tool_reply.h"

namespace halo::mcp {

enum class FieldType : uint8_t { kText, kInteger, kNumber, kBool, kTexts, kIntegers };

// An argument, a figure or a column.
struct Field {
  std::string_view name;
  FieldType type = FieldType::kText;
  std::string_view what;
  bool is_required = false;
  std::vector<std::string_view> choices = {};
};

// How a command that was started ended: its output and its exit code, or why it could not run.
struct RunOutcome {
  std::string output;
  int exit_code = 0;
  std::string problem;
};
// Runs `halo` with these arguments in a separate process, within its limits.
using Runner =
    std::function<RunOutcome(const std::vector<std::string>& arguments, const Progress& progress)>;

struct ToolCall {
  const JsonValue& arguments;
  Workspace& workspace;
  const Runner& runner;  // empty: nothing runs
  const Progress& progress;
  size_t first = 0;  // of the rows

  [[nodiscard]] std::string_view Text(std::string_view key, std::string_view fallback = {}) const {
    return arguments[key].AsString(fallback);
  }
  [[nodiscard]] int64_t Int(std::string_view key, int64_t fallback) const {
    return arguments[key].AsInt(fallback);
  }
  [[nodiscard]] bool Flag(std::string_view key) const { return arguments[key].AsBool(false); }
};

struct Tool {
  std::string_view name, title, what;
  std::vector<Field> arguments;
  std::vector<Field> figures;
  std::vector<Field> columns;  // empty: no rows
  ToolReply (*reply)(const ToolCall& call) = nullptr;
  bool runs_programs = false;
};

// The entry of tools/list.
JsonValue DescribeTool(const Tool& tool);

// What is wrong with a call's arguments, as a refusal; no problem if nothing is.
ToolReply CheckArguments(const Tool& tool, const JsonValue& arguments);

}  // namespace halo::mcp

#endif  // HALO_MCP_REPLY_TOOL_H_

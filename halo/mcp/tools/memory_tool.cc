// `memory`: how much memory a program needs, when and for what.
#include <algorithm>

#include "halo/api/memory/memory_document.h"
#include "halo/api/memory/memory_request.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::mcp {
namespace {

// Arguments of the tool that are not part of the request.
const std::vector<Field>& RowArguments() {
  static const std::vector<Field> kAll = {
      ProgramField(),
      {"rows",
       FieldType::kText,
       "What to list at the moment (default: groups)",
       false,
       {"groups", "values", "roles"}},
      {"only", FieldType::kText, "Which values (default: all)", false, {"all", "temporary"}}};
  return kAll;
}

// A group, and its share of what is in memory then.
JsonValue GroupRow(const LiveGroup& group, int64_t all) {
  JsonValue row = RowOf(group);
  if (all > 0) {
    Put(row, "percent", static_cast<double>(group.bytes) * 100 / static_cast<double>(all));
  }
  return row;
}

std::vector<LiveEntry> ListedEntries(const MemoryExplanation& all, bool temporary) {
  std::vector<LiveEntry> entries = all.entries;
  if (temporary) {
    std::erase_if(entries,
                  [](const LiveEntry& each) { return each.memory_kind != MemoryKind::kTemp; });
  }
  return entries;
}

void AddRows(const ToolCall& call, const MemoryExplanation& all, ToolReply& reply) {
  const std::string_view list = call.Text("rows", "groups");
  const bool temporary = call.Text("only") == "temporary";
  std::vector<LiveEntry> entries = ListedEntries(all, temporary);
  if (list == "values") {
    reply.total = entries.size();
    reply.row = [entries = std::move(entries)](size_t i) { return RowOf(entries[i]); };
    return;
  }
  const bool roles = list == "roles";
  std::vector<LiveGroup> groups = temporary ? GroupEntries(entries, roles ? GroupBy::kRole : all.by)
                                  : roles   ? all.roles
                                            : all.groups;
  if (!roles) {
    reply.next.emplace_back(
        "memory with rows: \"values\", for single values; advice, for what would help");
  }
  reply.total = groups.size();
  reply.row = [groups = std::move(groups), bytes = all.at_bytes](size_t i) {
    return GroupRow(groups[i], bytes);
  };
}

ToolReply ReplyMemory(const ToolCall& call) {
  std::vector<std::string_view> others = {"cursor"};
  for (const Field& each : RowArguments()) others.push_back(each.name);
  v0::MemoryRequest asked;
  asked.advice = "none";  // the tool `advice` has it
  const std::string problem = describe::ReadRequest(call.arguments, others, asked);
  if (!problem.empty()) return Refuse(problem, "the schema of `memory` lists its arguments");
  Result<MemoryRequest> request = RequestOf(asked);
  if (!request.ok()) return Refuse(request.error(), "the schema of `memory` lists its arguments");
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenNamed(call, reply);
  if (program == nullptr) return reply;
  call.progress("analyzing the memory of " + program->id());
  const MemoryResult& result = program->Memory(RequestKey(call), *request);
  if (!result.succeeded) {
    return Refuse(view::WhyNoResult(result),
                  asked.around.empty()
                      ? "`check` shows what is wrong with the file; `list` shows other stages of "
                        "the module, of which the last has a schedule"
                      : "`around` takes the name of an instruction that is scheduled; `search` "
                        "finds names");
  }
  reply.conclusion = result.verdict.text;
  Put(reply.figures, "program", std::string_view(program->id()));
  PutFigures(MemoryDocument(result), reply.figures);
  if (!result.explanation.has_times) {
    reply.next = {"the dump has no live ranges: `plan`: true plans the memory again"};
  }
  AddRows(call, result.explanation, reply);
  return reply;
}

}  // namespace

Tool MemoryTool() {
  return {
      "memory",
      "Does it fit?",
      "How much memory a program needs, where its peak is, and what is in memory then: groups "
      "by scope, source line, opcode, element type, shape or role, or single values. Can "
      "assume donations, recomputation, bf16, a device or a capacity.",
      JoinFields({RowArguments(), ArgumentsOf<v0::MemoryRequest>({"advice", "repack", "seconds"})}),
      JoinFields({{ProgramIdField()}, FiguresOf<v0::MemoryResult>()}),
      JoinFields({FiguresOf<LiveGroup>(),
                  {{"percent", FieldType::kNumber, "Of what is in memory then"}},
                  FiguresOf<v0::LiveValue>()}),
      ReplyMemory};
}

}  // namespace halo::mcp

// `search`: instructions by words in their name, opcode, shape, op_name or source.
#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

ToolReply ReplySearch(const ToolCall& call) {
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  view::ModuleView& module = *program->module();
  std::vector<view::SearchMatch> matches = module.search().Find(call.Text("query"));
  const bool by_bytes = call.Text("sort") == "bytes";
  const auto bytes_of = [&](InstId inst) {
    return module.module().shapes.ByteSize(module.module().inst(inst).shape).value_or(0);
  };
  int64_t bytes = 0;
  for (const view::SearchMatch& each : matches) bytes += bytes_of(each.inst);
  std::sort(matches.begin(), matches.end(), [&](const auto& a, const auto& b) {
    const int64_t rank_a = by_bytes ? bytes_of(a.inst) : a.score;
    const int64_t rank_b = by_bytes ? bytes_of(b.inst) : b.score;
    return rank_a != rank_b ? rank_a > rank_b : a.inst < b.inst;
  });
  reply.conclusion = matches.empty()
                         ? "No instruction matches " + std::string(call.Text("query")) + "."
                         : Counted(static_cast<int64_t>(matches.size()), "instruction") +
                               (matches.size() == 1 ? " matches, with " : " match, with ") +
                               HumanBytes(bytes) + " of results.";
  if (matches.empty()) {
    reply.next = {"search with fewer words, or info with rows: \"opcodes\", for what there is"};
  }
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "matches", matches.size());
  Put(reply.figures, "bytes", bytes);
  reply.total = matches.size();
  reply.row = [matches, &module](size_t i) {
    JsonValue row = MakeObject();
    PutInstruction(module, matches[i].inst, row);
    const Module& all = module.module();
    Put(row, "computation", all.text(all.comp(all.inst(matches[i].inst).parent).name));
    return row;
  };
  return reply;
}

}  // namespace

Tool SearchTool() {
  std::vector<Field> columns = InstructionColumns();
  columns.push_back({"computation", FieldType::kText, ""});
  return {"search",
          "Find instructions",
          "Instructions in which all words of a query occur, the closest first. A word may occur "
          "in the name, opcode, shape, op_name or source; `opcode:dot`, `name:`, `shape:`, "
          "`op_name:` and `source:` search in one; `layers.py:120` finds a line.",
          {ProgramField(),
           {"query", FieldType::kText, "Words, such as `opcode:all-gather bf16[4096`", true},
           {"sort", FieldType::kText, "Default: relevance", false, {"relevance", "bytes"}}},
          {ProgramIdField(),
           {"matches", FieldType::kInteger, ""},
           {"bytes", FieldType::kInteger, "Of the results of all matches"}},
          std::move(columns),
          ReplySearch};
}

}  // namespace halo::mcp

// `info`: what a program consists of, one list at a time.
#include <algorithm>

#include "halo/api/info/module_info.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/reply/described.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

template <class Each>
std::vector<JsonValue> Rows(const std::vector<Each>& list) {
  std::vector<JsonValue> rows;
  rows.reserve(list.size());
  for (const Each& each : list) rows.push_back(RowOf(each));
  return rows;
}

std::vector<JsonValue> CollectiveRows(const std::vector<v0::InfoCollective>& list) {
  std::vector<JsonValue> rows = Rows(list);
  for (size_t i = 0; i < list.size(); ++i) {
    std::string groups;
    for (const v0::InfoGroupSize& size : list[i].group_sizes) {
      groups += (groups.empty() ? "" : ", ") + std::to_string(size.count) + " of " +
                std::to_string(size.size);
    }
    PutIfAny(rows[i], "groups", groups);
  }
  return rows;
}

std::vector<JsonValue> OutputRows(const std::vector<v0::InfoOutput>& list) {
  std::vector<JsonValue> rows = Rows(list);
  for (size_t i = 0; i < list.size(); ++i) Put(rows[i], "number", i);
  return rows;
}

std::vector<JsonValue> RowsOf(const v0::InfoModule& info, std::string_view list) {
  if (list == "collectives") return CollectiveRows(info.collectives);
  if (list == "loops") return Rows(info.loops);
  if (list == "parameters") return Rows(info.parameters);
  if (list == "outputs") return OutputRows(info.outputs);
  if (list == "largest") return Rows(info.largest);
  if (list == "custom_calls") return Rows(info.custom_calls);
  if (list == "fusions") return Rows(info.fusions);
  if (list == "dtypes") return Rows(info.dtypes);
  return Rows(info.opcodes);
}

// The largest first, others in their order. Of a loop, that is about its body.
void SortRows(std::string_view list, std::string_view by, std::vector<JsonValue>& rows) {
  const std::string_view key = list != "loops" ? by
                               : by == "bytes" ? "carried_bytes"
                                               : "body_instructions";
  std::vector<size_t> order(rows.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const int64_t of_a = rows[a][key].AsInt(0), of_b = rows[b][key].AsInt(0);
    return of_a != of_b ? of_a > of_b : a < b;
  });
  std::vector<JsonValue> sorted;
  sorted.reserve(rows.size());
  for (const size_t i : order) sorted.push_back(std::move(rows[i]));
  rows = std::move(sorted);
}

ToolReply ReplyInfo(const ToolCall& call) {
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  constexpr size_t kListed = 1000;
  view::ModuleView& module = *program->module();
  const v0::InfoModule info =
      DescribeModule(module.document(), module.document_module(), {.largest = kListed});
  const std::string_view list = call.Text("rows", "opcodes");
  std::vector<JsonValue> rows = RowsOf(info, list);
  if (const std::string_view by = call.Text("sort"); !by.empty()) SortRows(list, by, rows);
  reply.conclusion =
      info.name + ": " + Counted(info.instructions, "instruction") + " in " +
      Counted(info.computations, "computation") + ", " + HumanBytes(info.parameter_bytes) +
      " of parameters, " + HumanBytes(info.output_bytes) + " of outputs, " +
      HumanBytes(info.aliased_bytes) + " of them in parameters' memory; " +
      Counted(static_cast<int64_t>(rows.size()), "row") + " of " + std::string(list) + ".";
  Put(reply.figures, "program", std::string_view(program->id()));
  PutFigures(info, reply.figures);
  Put(reply.figures, "parameters", info.parameters.size());
  Put(reply.figures, "outputs", info.outputs.size());
  Put(reply.figures, "loops", info.loops.size());
  reply.total = rows.size();
  reply.row = [rows = std::move(rows)](size_t i) { return rows[i]; };
  return reply;
}

}  // namespace

Tool InfoTool() {
  return {"info",
          "What a program consists of",
          "Counts and sizes of a program, and one list: opcodes, element types, fusions, custom "
          "calls, collectives, loops, parameters, outputs or the largest results.",
          {ProgramField(),
           {"rows",
            FieldType::kText,
            "Which list (default: opcodes)",
            false,
            {"opcodes", "dtypes", "fusions", "custom_calls", "collectives", "loops", "parameters",
             "outputs", "largest"}},
           {"sort", FieldType::kText, "The largest first", false, {"bytes", "count"}}},
          JoinFields({{ProgramIdField()},
                      FiguresOf<v0::InfoModule>(),
                      {{"parameters", FieldType::kInteger, "How many"},
                       {"outputs", FieldType::kInteger, "How many"},
                       {"loops", FieldType::kInteger, "How many"}}}),
          JoinFields({FiguresOf<v0::InfoSize>(),
                      FiguresOf<v0::InfoCollective>(),
                      {{"groups", FieldType::kText, "Instructions with groups of so many devices"}},
                      FiguresOf<v0::InfoLoop>(),
                      FiguresOf<v0::InfoParameter>(),
                      FiguresOf<v0::InfoOutput>(),
                      FiguresOf<v0::InfoValue>()}),
          ReplyInfo};
}

}  // namespace halo::mcp

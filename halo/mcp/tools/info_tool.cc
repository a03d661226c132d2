// `info`: what a program consists of, one list at a time.
#include <algorithm>

#include "halo/api/info/module_info.h"
#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

void Fill(const Tally& each, size_t /*number*/, JsonValue& row) {
  Put(row, "name", std::string_view(each.name));
  Put(row, "count", each.count);
  Put(row, "bytes", each.bytes);
}

void Fill(const CollectiveInfo& each, size_t /*number*/, JsonValue& row) {
  Put(row, "name", std::string_view(each.opcode));
  Put(row, "count", each.count);
  Put(row, "bytes", each.bytes);
  Put(row, "async", each.async);
  Put(row, "runs", each.runs);
  Put(row, "run_bytes", each.run_bytes);
  std::string groups;
  for (const GroupSize& size : each.group_sizes) {
    groups += (groups.empty() ? "" : ", ") + std::to_string(size.count) + " of " +
              std::to_string(size.size);
  }
  PutIfAny(row, "groups", groups);
}

void Fill(const LoopInfo& each, size_t /*number*/, JsonValue& row) {
  Put(row, "name", std::string_view(each.name));
  Put(row, "count", each.body_instructions);
  Put(row, "bytes", each.carried_bytes);
  if (each.trip_count) Put(row, "trips", *each.trip_count);
  Put(row, "runs", each.runs);
  Put(row, "body", std::string_view(each.body));
  PutIfAny(row, "op_name", each.op_name);
}

void Fill(const ParameterInfo& each, size_t /*number*/, JsonValue& row) {
  Put(row, "name", std::string_view(each.name));
  Put(row, "number", each.number);
  Put(row, "shape", std::string_view(each.shape));
  if (each.bytes) Put(row, "bytes", *each.bytes);
  Put(row, "donated", each.donated || each.aliased);
  PutIfAny(row, "op_name", each.op_name);
  PutIfAny(row, "sharding", each.sharding);
}

void Fill(const OutputInfo& each, size_t number, JsonValue& row) {
  Put(row, "name", std::string_view(each.name));
  Put(row, "number", number);
  Put(row, "shape", std::string_view(each.shape));
  if (each.bytes) Put(row, "bytes", *each.bytes);
  if (each.aliases_parameter) Put(row, "aliases_parameter", *each.aliases_parameter);
  PutIfAny(row, "op_name", each.op_name);
}

void Fill(const BigValue& each, size_t /*number*/, JsonValue& row) {
  Put(row, "name", std::string_view(each.name));
  Put(row, "bytes", each.bytes);
  Put(row, "opcode", std::string_view(each.opcode));
  Put(row, "shape", std::string_view(each.shape));
  PutIfAny(row, "op_name", each.op_name);
}

template <class Each>
std::vector<JsonValue> Rows(const std::vector<Each>& list) {
  std::vector<JsonValue> rows;
  rows.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) Fill(list[i], i, rows.emplace_back(MakeObject()));
  return rows;
}

std::vector<JsonValue> RowsOf(const ModuleInfo& info, std::string_view list) {
  if (list == "collectives") return Rows(info.collectives);
  if (list == "loops") return Rows(info.loops);
  if (list == "parameters") return Rows(info.parameters);
  if (list == "outputs") return Rows(info.outputs);
  if (list == "largest") return Rows(info.largest);
  if (list == "custom_calls") return Rows(info.custom_calls);
  if (list == "fusions") return Rows(info.fusions);
  if (list == "dtypes") return Rows(info.dtypes);
  return Rows(info.opcodes);
}

// The largest first, others in their order.
void SortRows(std::string_view key, std::vector<JsonValue>& rows) {
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
  const ModuleInfo info =
      DescribeModule(module.document(), module.document_module(), {.largest = kListed});
  const std::string_view list = call.Text("rows", "opcodes");
  std::vector<JsonValue> rows = RowsOf(info, list);
  if (const std::string_view key = call.Text("sort"); !key.empty()) SortRows(key, rows);
  reply.conclusion =
      info.name + ": " + Counted(info.instructions, "instruction") + " in " +
      Counted(info.computations, "computation") + ", " + HumanBytes(info.parameter_bytes) +
      " of parameters, " + HumanBytes(info.output_bytes) + " of outputs, " +
      HumanBytes(info.aliased_bytes) + " of them in parameters' memory; " +
      Counted(static_cast<int64_t>(rows.size()), "row") + " of " + std::string(list) + ".";
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "instructions", info.instructions);
  Put(reply.figures, "computations", info.computations);
  Put(reply.figures, "entry_instructions", info.entry_instructions);
  Put(reply.figures, "fused_instructions", info.fused_instructions);
  Put(reply.figures, "parameters", info.parameters.size());
  Put(reply.figures, "outputs", info.outputs.size());
  Put(reply.figures, "parameter_bytes", info.parameter_bytes);
  Put(reply.figures, "output_bytes", info.output_bytes);
  Put(reply.figures, "aliased_bytes", info.aliased_bytes);
  Put(reply.figures, "constant_bytes", info.constant_bytes);
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
          {ProgramIdField(),
           {"instructions", FieldType::kInteger, ""},
           {"computations", FieldType::kInteger, ""},
           {"entry_instructions", FieldType::kInteger, ""},
           {"fused_instructions", FieldType::kInteger, ""},
           {"parameters", FieldType::kInteger, ""},
           {"outputs", FieldType::kInteger, ""},
           {"parameter_bytes", FieldType::kInteger, ""},
           {"output_bytes", FieldType::kInteger, ""},
           {"aliased_bytes", FieldType::kInteger, "Of the outputs, in parameters' memory"},
           {"constant_bytes", FieldType::kInteger, ""},
           {"loops", FieldType::kInteger, ""}},
          {{"name", FieldType::kText, ""},
           {"count", FieldType::kInteger, "Instructions; of a loop, in its body"},
           {"bytes", FieldType::kInteger, "Of a loop, carried"},
           {"number", FieldType::kInteger, ""},
           {"shape", FieldType::kText, ""},
           {"opcode", FieldType::kText, ""},
           {"donated", FieldType::kBool, "An output may use its memory"},
           {"aliases_parameter", FieldType::kInteger, ""},
           {"async", FieldType::kInteger, ""},
           {"runs", FieldType::kInteger, "Per run of the program"},
           {"run_bytes", FieldType::kInteger, ""},
           {"groups", FieldType::kText, "Instructions with groups of so many devices"},
           {"trips", FieldType::kInteger, ""},
           {"body", FieldType::kText, ""},
           {"op_name", FieldType::kText, ""},
           {"sharding", FieldType::kText, ""}},
          ReplyInfo};
}

}  // namespace halo::mcp

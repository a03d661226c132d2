// `value`: everything about one instruction, its operands and its users.
#include <algorithm>

#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"
#include "halo/memory/explain/origins.h"
#include "halo/text/write/write_text.h"
#include "halo/view/model/shown_assignment.h"
#include "halo/view/model/view_request.h"

namespace halo::mcp {
namespace {

// Larger programs are planned only on request by `memory`.
constexpr size_t kMostPlanned = 300'000;

// Where and when its result is in memory, by XLA's assignment or a plan.
void PutMemory(Program& program, InstId inst, JsonValue& figures) {
  std::string why;
  const bool has_dumped = program.view().has_assignment();
  if (!has_dumped && (!program.module()->module().is_scheduled() ||
                      program.module()->module().insts.size() > kMostPlanned)) {
    return;
  }
  const view::ShownAssignment* plan = program.view().Shown(
      has_dumped ? view::AssignmentSource::kDumped : view::AssignmentSource::kPlanned, why);
  if (plan == nullptr) return;
  const Assignment& assignment = plan->assignment();
  for (size_t i = 0; i < assignment.values.size(); ++i) {
    const AssignedValue& value = assignment.values[i];
    if (plan->bound.value(ValueId(i)).inst != inst) continue;
    Put(figures, "live_from", value.live.start);
    Put(figures, "live_to", value.live.end);
    Put(figures, "buffer_bytes", value.size);
    Put(figures, "role", ValueRoleText(plan->roles.Of(ValueId(i))));
    const int64_t peak = plan->result.explanation.peak_time;
    if (plan->result.explanation.has_times) {
      Put(figures, "live_at_peak", value.live.start <= peak && peak <= value.live.end);
    }
    return;  // of a tuple, the first
  }
}

void PutCalled(const Module& module, const Inst& inst, JsonValue& figures) {
  constexpr size_t kListed = 8;
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  if (called.empty()) return;
  JsonValue names = MakeArray();
  for (size_t i = 0; i < std::min(called.size(), kListed); ++i) {
    names.items.push_back(MakeText(module.text(module.comp(called[i]).name)));
  }
  Put(figures, "calls", std::move(names));
}

ToolReply ReplyValue(const ToolCall& call) {
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  view::ModuleView& view = *program->module();
  const InstId id = FindInstruction(call, view, reply);
  if (!id.valid()) return reply;
  const Module& module = view.module();
  const Inst& inst = module.inst(id);
  const Computation& comp = module.comp(inst.parent);
  const std::vector<InstId> operands(module.operands_of(inst).begin(),
                                     module.operands_of(inst).end());
  const std::vector<InstId> users(view.users().of(id).begin(), view.users().of(id).end());
  Put(reply.figures, "program", std::string_view(program->id()));
  PutInstruction(view, id, reply.figures);
  reply.conclusion = std::string(module.name_of(inst)) + ": " + reply.figures["opcode"].text +
                     " of " + reply.figures["shape"].text + ", " + std::to_string(operands.size()) +
                     " operands, " + std::to_string(users.size()) + " users, in " +
                     (comp.is_entry ? "the entry computation."
                                    : "computation " + std::string(module.text(comp.name)) + ".");
  Put(reply.figures, "computation", module.text(comp.name));
  Put(reply.figures, "is_root", comp.root == id);
  const RunCount& runs = view.runs()[inst.parent.index()];
  Put(reply.figures, "runs", runs.runs);
  const uint32_t line = view.text().line_of(id);
  if (line != InstId().value) Put(reply.figures, "line", line + 1);
  Put(reply.figures, "operand_count", operands.size());
  Put(reply.figures, "user_count", users.size());
  PutCalled(module, inst, reply.figures);
  call.progress("looking up the memory of " + std::string(module.name_of(inst)));
  PutMemory(*program, id, reply.figures);
  constexpr size_t kLongestLine = 1200;
  JsonValue text = MakeText(InstructionText(module, id, module.style));
  ShortenStrings(kLongestLine, text);
  Put(reply.figures, "text", std::move(text));
  reply.total = operands.size() + users.size();
  reply.row = [operands, users, &view](size_t i) {
    const bool is_operand = i < operands.size();
    const InstId other = is_operand ? operands[i] : users[i - operands.size()];
    JsonValue row = MakeObject();
    Put(row, "relation", is_operand ? "operand" : "user");
    if (other.valid()) PutInstruction(view, other, row);
    return row;
  };
  return reply;
}

}  // namespace

Tool ValueTool() {
  std::vector<Field> columns = InstructionColumns();
  columns.insert(columns.begin(), {"relation", FieldType::kText, "operand or user"});
  std::vector<Field> figures = {ProgramIdField()};
  for (const Field& each : InstructionColumns()) figures.push_back(each);
  const std::vector<Field> more = {{"computation", FieldType::kText, ""},
                                   {"is_root", FieldType::kBool, ""},
                                   {"runs", FieldType::kInteger, "Per run of the program"},
                                   {"line", FieldType::kInteger, "From 1"},
                                   {"operand_count", FieldType::kInteger, ""},
                                   {"user_count", FieldType::kInteger, ""},
                                   {"calls", FieldType::kTexts, "Computations"},
                                   {"live_from", FieldType::kInteger, "Position in the schedule"},
                                   {"live_to", FieldType::kInteger, ""},
                                   {"live_at_peak", FieldType::kBool, ""},
                                   {"buffer_bytes", FieldType::kInteger, ""},
                                   {"role", FieldType::kText, ""},
                                   {"text", FieldType::kText, ""}};
  figures.insert(figures.end(), more.begin(), more.end());
  return {"value",
          "One value",
          "Everything about one instruction: shape, bytes, live range, source, text, operands and "
          "users.",
          {ProgramField(), InstructionField()},
          std::move(figures),
          std::move(columns),
          ReplyValue};
}

}  // namespace halo::mcp

// `neighbourhood`: what is around an instruction in the graph, within some hops.
#include <algorithm>
#include <unordered_map>

#include "halo/base/strings/human_size.h"
#include "halo/mcp/tools/tool_list.h"
#include "halo/mcp/tools/tool_parts.h"

namespace halo::mcp {
namespace {

constexpr size_t kMostNear = 2000;
constexpr int64_t kMostHops = 20;

struct NearInst {
  InstId inst;
  int64_t hops = 0;
  InstId via;  // the one before it on the way
  bool is_operand = false;
};

// Breadth first: operands of what was reached through operands, users of what was reached through
// users.
std::vector<NearInst> NearestOf(view::ModuleView& view, InstId center, int64_t hops,
                                std::string_view direction, bool& is_cut) {
  const Module& module = view.module();
  std::vector<NearInst> found;
  std::unordered_map<uint32_t, bool> seen = {{center.value, true}};
  const auto add = [&](InstId inst, const NearInst& from, bool is_operand) {
    if (!inst.valid() || !seen.emplace(inst.value, true).second) return;
    if (found.size() >= kMostNear) {
      is_cut = true;
      return;
    }
    found.push_back({inst, from.hops + 1, from.inst, is_operand});
  };
  const auto expand = [&](const NearInst from, bool to_operands, bool to_users) {
    if (to_operands && direction != "users") {
      for (const InstId each : module.operands_of(module.inst(from.inst))) add(each, from, true);
    }
    if (to_users && direction != "operands") {
      for (const InstId each : view.users().of(from.inst)) add(each, from, false);
    }
  };
  expand({.inst = center, .via = {}}, true, true);
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].hops < hops) expand(found[i], found[i].is_operand, !found[i].is_operand);
  }
  return found;
}

ToolReply ReplyNeighbourhood(const ToolCall& call) {
  ToolReply reply;
  const std::shared_ptr<Program> program = OpenWithModule(call, reply);
  if (program == nullptr) return reply;
  view::ModuleView& view = *program->module();
  const InstId id = FindInstruction(call, view, reply);
  if (!id.valid()) return reply;
  const int64_t hops = std::clamp(call.Int("hops", 2), int64_t{1}, kMostHops);
  bool is_cut = false;
  const std::vector<NearInst> found = NearestOf(view, id, hops, call.Text("direction"), is_cut);
  const Module& module = view.module();
  const auto operands = std::count_if(found.begin(), found.end(),
                                      [](const NearInst& each) { return each.is_operand; });
  reply.conclusion = std::string(module.name_of(module.inst(id))) + " depends on " +
                     Counted(operands, "instruction") + " and " +
                     Counted(static_cast<int64_t>(found.size()) - operands, "instruction") +
                     " depend on it within " + Counted(hops, "hop") +
                     (is_cut ? ", of those that were followed." : ".");
  Put(reply.figures, "program", std::string_view(program->id()));
  Put(reply.figures, "instruction", module.name_of(module.inst(id)));
  Put(reply.figures, "hops", hops);
  Put(reply.figures, "operands", operands);
  Put(reply.figures, "users", static_cast<int64_t>(found.size()) - operands);
  Put(reply.figures, "complete", !is_cut);
  reply.total = found.size();
  reply.row = [found, &view](size_t i) {
    const Module& all = view.module();
    JsonValue row = MakeObject();
    Put(row, "hops", found[i].is_operand ? -found[i].hops : found[i].hops);
    PutInstruction(view, found[i].inst, row);
    Put(row, "via", all.name_of(all.inst(found[i].via)));
    return row;
  };
  return reply;
}

}  // namespace

Tool NeighbourhoodTool() {
  std::vector<Field> columns = InstructionColumns();
  columns.insert(columns.begin(), {"hops", FieldType::kInteger, "Negative: it depends on these"});
  columns.push_back({"via", FieldType::kText, "The instruction before it on the way"});
  return {"neighbourhood",
          "Around a value",
          "The instructions that one depends on and those that depend on it, the nearest first.",
          {ProgramField(),
           InstructionField(),
           {"hops", FieldType::kInteger, "How far, 1 to 20 (default: 2)"},
           {"direction", FieldType::kText, "Default: both", false, {"both", "operands", "users"}}},
          {ProgramIdField(),
           {"instruction", FieldType::kText, ""},
           {"hops", FieldType::kInteger, ""},
           {"operands", FieldType::kInteger, ""},
           {"users", FieldType::kInteger, ""},
           {"complete", FieldType::kBool, "False: there are more than are followed"}},
          std::move(columns),
          ReplyNeighbourhood};
}

}  // namespace halo::mcp

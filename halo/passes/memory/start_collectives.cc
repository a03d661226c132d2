// Writes the pairs first, wherever the editor puts them, then orders each computation: starts are
// moved up, and dones and instructions that only pass on their results are held back.
#include "halo/passes/memory/start_collectives.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "halo/analysis/graph/call_graph.h"
#include "halo/analysis/graph/users.h"
#include "halo/ir/reorder.h"
#include "halo/passes/memory/unshare_calls.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

// More than this at a time use memory without any gain.
constexpr size_t kMostUnderWay = 8;

constexpr std::string_view kDone = ".done";
constexpr std::string_view kWrapped = ".wrapped";

bool WritesInPlace(const Module& module, const Inst& inst) {
  if (inst.opcode == Opcode::kRaggedAllToAll) return true;
  return module.Find(inst, AttrKey::k_slice_sizes) != nullptr;
}

bool IsPaired(const Module& module, const Inst& inst) {
  return IsCollectiveOp(inst.opcode) && !HasTrait(inst.opcode, kAsyncStart) &&
         inst.operand_count > 0 && !WritesInPlace(module, inst);
}

void WritePair(ModuleEditor& edit, InstId id) {
  const CompId parent = edit.inst(id).parent;
  const ShapeId result = edit.inst(id).shape;
  const std::vector<InstId> operands = edit.operands(id);
  const CompId wrapped = edit.AddComputation("async_wrapped", parent);
  std::vector<InstId> parameters;
  std::vector<ShapeId> shapes;
  for (const InstId operand : operands) {
    shapes.push_back(edit.inst(operand).shape);
    parameters.push_back(edit.AddParameter(wrapped, static_cast<uint32_t>(parameters.size()),
                                           shapes.back(), "async_param"));
  }
  const InstId inner = edit.Clone(id, wrapped, parameters);
  edit.SetRoot(wrapped, inner);
  Module& tables = edit.tables();
  const ShapeId parts[] = {tables.shapes.Tuple(shapes), result};
  const int64_t called = wrapped.value;
  const Attr calls = tables.MakeInts(AttrKey::k_calls, {&called, 1}, AttrForm::kBare);
  const ShapeId started = tables.shapes.Tuple(parts);
  const InstId start = edit.Add(parent, Opcode::kAsyncStart, started, operands, {&calls, 1}, id);
  const InstId done = edit.Add(parent, Opcode::kAsyncDone, result, {start}, {}, id);
  const std::string name(edit.module().name_of(edit.inst(id)));
  edit.SetName(inner, name + std::string(kWrapped));
  edit.SetName(start, name);
  edit.SetName(done, name + std::string(kDone));
  edit.Replace(id, done);
}

// Orders one computation.
class Order {
 public:
  Order(const Module& module, CompId comp)
      : module_(module),
        first_(module.comp(comp).first),
        emitted_(module.comp(comp).count, false),
        held_(module.comp(comp).count, false) {}

  std::vector<InstId> Make() {
    for (uint32_t i = 0; i < emitted_.size(); ++i) {
      if (module_.insts[first_ + i].opcode == Opcode::kAsyncStart) waiting_.push_back(i);
    }
    for (uint32_t i = 0; i < emitted_.size(); ++i) {
      const Inst& inst = module_.insts[first_ + i];
      if (inst.opcode == Opcode::kAsyncStart) continue;
      held_[i] = IsHeld(inst);
      if (held_[i]) continue;
      Emit(i);
      StartReady();
    }
    for (uint32_t i = 0; i < emitted_.size(); ++i) Emit(i);
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool IsEmitted(InstId id) const { return emitted_[id.value - first_]; }

  [[nodiscard]] bool IsHeld(const Inst& inst) const {
    if (inst.opcode == Opcode::kAsyncDone) return true;
    if (inst.opcode != Opcode::kGetTupleElement && inst.opcode != Opcode::kBitcast &&
        inst.opcode != Opcode::kTuple) {
      return false;
    }
    return std::ranges::any_of(module_.operands_of(inst),
                               [&](InstId operand) { return held_[operand.value - first_]; });
  }

  // Emits the operands first, then the instruction itself.
  void Emit(uint32_t wanted) {
    std::vector<uint32_t> stack = {wanted};
    while (!stack.empty()) {
      const uint32_t i = stack.back();
      if (emitted_[i]) {
        stack.pop_back();
        continue;
      }
      const Inst& inst = module_.insts[first_ + i];
      const size_t before = stack.size();
      const std::span<const InstId> operands = module_.operands_of(inst);
      for (size_t k = operands.size(); k-- > 0;) {
        if (!IsEmitted(operands[k])) stack.push_back(operands[k].value - first_);
      }
      if (stack.size() > before) continue;
      stack.pop_back();
      emitted_[i] = true;
      held_[i] = false;
      out_.emplace_back(first_ + i);
      if (inst.opcode == Opcode::kAsyncStart) ++under_way_;
      if (inst.opcode == Opcode::kAsyncDone) --under_way_;
    }
  }

  void StartReady() {
    std::erase_if(waiting_, [&](uint32_t i) {
      if (emitted_[i]) return true;
      if (under_way_ >= kMostUnderWay) return false;
      const std::span<const InstId> operands = module_.operands_of(module_.insts[first_ + i]);
      if (!std::ranges::all_of(operands, [&](InstId each) { return IsEmitted(each); }))
        return false;
      Emit(i);
      return true;
    });
  }

  const Module& module_;
  const uint32_t first_;
  std::vector<bool> emitted_, held_;
  std::vector<uint32_t> waiting_;  // starts, in order
  size_t under_way_ = 0;
  std::vector<InstId> out_;
};

}  // namespace

Result<Module> StartCollectives(Module module, PassLog& log, const std::set<std::string>& except) {
  Result<Module> unshared = UnshareCalls(std::move(module));
  if (!unshared) return unshared;
  log.Begin("start-collectives");
  std::vector<InstId> paired;
  {
    const CallGraph graph(*unshared);
    const Users users(*unshared);
    for (uint32_t i = 0; i < unshared->insts.size(); ++i) {
      const Inst& inst = unshared->insts[i];
      if (!IsPaired(*unshared, inst)) continue;
      if (except.contains(std::string(unshared->name_of(inst)))) continue;
      if (graph.context(inst.parent) != CallGraph::Context::kControlFlow) continue;
      const bool is_root = unshared->comp(inst.parent).root == InstId(i);
      if (users.of(InstId(i)).empty() && !is_root) continue;
      paired.emplace_back(i);
      log.Note("%", unshared->name_of(inst), " is started early and awaited late");
    }
  }
  if (paired.empty()) return unshared;
  ModuleEditor edit(std::move(*unshared));
  for (const InstId id : paired) WritePair(edit, id);
  Module out = edit.Finish();
  std::vector<InstId> order;
  order.reserve(out.insts.size());
  std::vector<CompId> by_position;
  for (uint32_t c = 0; c < out.comps.size(); ++c) by_position.emplace_back(c);
  std::ranges::sort(by_position, {}, [&](CompId comp) { return out.comp(comp).first; });
  for (const CompId comp : by_position) {
    const std::vector<InstId> own = Order(out, comp).Make();
    order.insert(order.end(), own.begin(), own.end());
  }
  ReorderInstructions(out, order);
  return out;
}

std::set<std::string> TornCollectives(const Module& module) {
  std::set<std::string> names;
  for (const Inst& inst : module.insts) {
    if (inst.opcode != Opcode::kAsyncDone) continue;
    if (module.inst(module.operands_of(inst)[0]).opcode == Opcode::kAsyncStart) continue;
    const std::string_view name = module.name_of(inst);
    names.emplace(name.substr(0, name.rfind(kDone)));
  }
  return names;
}

}  // namespace halo

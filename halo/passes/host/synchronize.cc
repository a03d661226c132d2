// Makes execution sequential: async starts become the op they start, and ops that only mark or
// order (barriers, domains, annotations for the partitioner, control dependencies) become the value
// they pass through. From here on, the order of instructions is the order of execution.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/async_sugar.h"
#include "halo/ir/op_properties.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/passes/host/host_passes.h"
#include "halo/passes/rewrite/relayout.h"
#include "halo/passes/rewrite/rewriter.h"
#include "halo/semantics/devices/manual_borders.h"

namespace halo {
namespace {

// Custom calls that are defined (halo/eval/calls/markers.cc) to return their operand.
constexpr std::array<std::string_view, 11> kIdentities = {"Sharding",
                                                          "annotate_device_placement",
                                                          "MoveToHost",
                                                          "MoveToDevice",
                                                          "xla.sdy.FuncResultSharding",
                                                          "xla.sdy.Sharding",
                                                          "xla.sdy.PropagationBarrier",
                                                          "AssumeGatherIndicesInBound",
                                                          "GatherScatterIndicesBitpacked",
                                                          "SetBound",
                                                          "LayoutConstraint"};

class Synchronizer {
 public:
  Synchronizer(Module& module, PassLog& log) : edit_(std::move(module)), log_(log) {}

  void Run() {
    edit_.DropDeadCode();
    const size_t count = edit_.module().insts.size();
    FindBorders(count);
    for (size_t i = 0; i < count; ++i) {
      edit_.RemoveAttr(InstId(i), AttrKey::k_control_predecessors);
      Rewrite(InstId(i));
    }
  }
  [[nodiscard]] bool changed() const { return edit_.changed(); }
  Module Finish() { return edit_.Finish(); }

 private:
  // Makes borders of manual regions independent of what surrounds them: what enters is sliced by
  // the sharding of its operand, which must stay for that; of what leaves, the axes that are not
  // manual are known only from its operand.
  void FindBorders(size_t count) {
    borders_.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
      const Inst& inst = edit_.module().insts[i];
      if (LeavesManualRegion(edit_.module(), inst)) StateRegion(InstId(i));
      if (!EntersManualRegion(edit_.module(), inst)) continue;
      for (const InstId operand : edit_.operands(InstId(i))) borders_[operand.index()] = true;
    }
  }

  void StateRegion(InstId id) {
    const Module& module = edit_.module();
    if (module.TextOr(module.inst(id).attrs, AttrKey::k_sharding).empty()) return;
    Sharding all;
    all.kind = ShardingKind::kTuple;
    for (size_t i = 0; i < module.inst(id).operand_count; ++i) {
      std::optional<Sharding> each = RegionSharding(module, module.inst(id), i);
      if (!each) return;
      all.elements.push_back(*std::move(each));
    }
    if (all.elements.empty()) return;  // a call without operands
    TextBuffer text;
    PrintSharding(module.shapes.is_tuple(module.inst(id).shape) ? all : all.elements[0], text);
    edit_.SetAttr(id, edit_.tables().MakeText(AttrKey::k_sharding, text.view()));
  }

  void Rewrite(InstId id) {
    if (edit_.inst(id).opcode == Opcode::kCustomCall) return RewriteCall(id);
    switch (FlowOf(edit_.inst(id).opcode)) {
      case OpFlow::kForwards: return Forward(id, edit_.operand(id, 0));
      case OpFlow::kAsyncUpdate: return RewriteUpdate(id);
      case OpFlow::kCopyStart: return RewriteCopy(id);
      case OpFlow::kAsyncStart: return RewriteStart(id);
      case OpFlow::kReduceStart:
      case OpFlow::kGatherStart:
      case OpFlow::kPermuteStart: return RewriteCollective(id);
      case OpFlow::kCopyDone:
        if (IsStarted(id)) Forward(id, Element(edit_.operand(id, 0), 0));
        return;
      case OpFlow::kAsyncDone:
      case OpFlow::kStartedResult:
        if (IsStarted(id)) Forward(id, Element(edit_.operand(id, 0), 1));
        return;
      case OpFlow::kReduceDone:
        if (edit_.inst(edit_.operand(id, 0)).opcode == Opcode::kAllReduce) {
          Forward(id, edit_.operand(id, 0));
        }
        return;
      default: return;
    }
  }

  // Returns true if the operand was rewritten to the tuple that a start returns.
  [[nodiscard]] bool IsStarted(InstId id) const {
    return edit_.inst(edit_.operand(id, 0)).opcode == Opcode::kTuple;
  }
  [[nodiscard]] InstId Element(InstId tuple, size_t index) const {
    return edit_.operand(tuple, index);
  }

  void Forward(InstId id, InstId value) {
    const InstId same = Relayout(edit_, value, edit_.inst(id).shape);
    if (!same.valid()) return;
    log_.Note("%", edit_.module().name_of(edit_.inst(id)), " passes %",
              edit_.module().name_of(edit_.inst(value)), " on");
    edit_.Replace(id, same);
  }

  void RewriteCall(InstId id) {
    const std::string_view target =
        edit_.module().TextOr(edit_.inst(id).attrs, AttrKey::k_custom_call_target);
    if (std::ranges::find(kIdentities, target) == kIdentities.end()) return;
    if (borders_[id.index()]) return;
    if (edit_.inst(id).operand_count >= 1) Forward(id, edit_.operand(id, 0));
  }

  // The elements of a start's result. Contexts that nothing reads become zeros.
  InstId Parts(InstId id, std::initializer_list<InstId> known) {
    std::vector<InstId> parts(known);
    const CompId comp = edit_.inst(id).parent;
    const size_t count = edit_.module().shapes.elements(edit_.inst(id).shape).size();
    for (size_t i = parts.size(); i < count; ++i) {
      const ShapeId shape = edit_.module().shapes.elements(edit_.inst(id).shape)[i];
      if (edit_.module().shapes.is_array(shape)) {
        const auto elements = edit_.module().shapes.ElementCount(shape);
        if (!elements || *elements > 1024) return {};
        const std::vector<uint8_t> zeros(static_cast<size_t>(*elements) *
                                         StoredBytes(edit_.module().shapes.type(shape)));
        parts.push_back(edit_.AddConstant(comp, shape, zeros, id));
      } else if (edit_.module().shapes.type(shape) == ElementType::kToken) {
        parts.push_back(edit_.Add(comp, Opcode::kAfterAll, shape, {}, {}, id));
      } else {
        return {};
      }
    }
    return edit_.AddTuple(comp, parts, id);
  }

  void RewriteCopy(InstId id) {
    const std::span<const ShapeId> parts = edit_.module().shapes.elements(edit_.inst(id).shape);
    if (parts.size() < 2) return;
    const ShapeId to = parts[0];
    const ShapeId from = parts[1];
    const InstId source = Relayout(edit_, edit_.operand(id, 0), from);
    const InstId copy = Relayout(edit_, edit_.operand(id, 0), to);
    if (!source.valid() || !copy.valid()) return;
    if (const InstId tuple = Parts(id, {copy, source}); tuple.valid()) edit_.Replace(id, tuple);
  }

  void RewriteStart(InstId id) {
    std::vector<CompId> called;
    edit_.module().CalledBy(edit_.inst(id), called);
    if (called.size() == 1) Bind(id, called[0], edit_.operands(id));
  }

  // An update may bind more operands.
  void RewriteUpdate(InstId id) {
    if (edit_.inst(id).operand_count == 1) return Forward(id, edit_.operand(id, 0));
    const InstId before = edit_.operand(id, 0);
    const auto bound = started_.find(before);
    if (!IsStarted(id) || bound == started_.end()) return;
    std::vector<InstId> operands = edit_.operands(Element(before, 0));
    for (size_t i = 1; i < edit_.inst(id).operand_count; ++i) {
      operands.push_back(edit_.operand(id, i));
    }
    Bind(id, bound->second, std::move(operands));
  }

  // ((operands), result, contexts) in place of a start or update. The result is a call if the
  // computation has an operand for each parameter.
  void Bind(InstId id, CompId callee, std::vector<InstId> operands) {
    const std::span<const ShapeId> parts = edit_.module().shapes.elements(edit_.inst(id).shape);
    if (parts.size() < 2) return;
    const ShapeId result = parts[1];
    const CompId comp = edit_.inst(id).parent;
    const bool is_bound = operands.size() >= ParameterCount(callee);
    const Attr to_apply{AttrKey::k_to_apply, AttrForm::kPlain, 0, callee.value};
    const InstId made = is_bound
                            ? edit_.Add(comp, Opcode::kCall, result, operands, {&to_apply, 1}, id)
                            : edit_.AddTuple(comp, {}, id);
    const InstId tuple = Parts(id, {edit_.AddTuple(comp, operands, id), made});
    if (!tuple.valid()) return edit_.Drop(made);
    if (!is_bound) started_.emplace(tuple, callee);
    edit_.Replace(id, tuple);
  }

  [[nodiscard]] size_t ParameterCount(CompId id) const {
    const Computation& comp = edit_.module().comp(id);
    size_t count = 0;
    for (uint32_t i = 0; i < comp.count; ++i) {
      count += edit_.module().inst(InstId(comp.first + i)).opcode == Opcode::kParameter ? 1 : 0;
    }
    return count;
  }

  void RewriteCollective(InstId id) {
    const Opcode opcode = SynchronousOf(edit_.inst(id).opcode);
    const CompId comp = edit_.inst(id).parent;
    const std::vector<InstId> operands = edit_.operands(id);
    ShapeId result = edit_.inst(id).shape;
    const std::span<const ShapeId> parts = edit_.module().shapes.elements(result);
    if (opcode != Opcode::kAllReduce) {
      if (parts.size() < 2) return;
      result = parts[1];
    }
    const InstId op = edit_.Clone(id, comp, operands);
    edit_.SetOpcode(op, opcode);
    edit_.SetShape(op, result);
    edit_.SetName(op, TextOf(opcode));
    if (opcode == Opcode::kAllReduce) return edit_.Replace(id, op);
    const InstId given = operands.size() == 1 ? operands[0] : edit_.AddTuple(comp, operands, id);
    if (const InstId tuple = Parts(id, {given, op}); tuple.valid()) {
      edit_.Replace(id, tuple);
    } else {
      edit_.Drop(op);
    }
  }

  ModuleEditor edit_;
  PassLog& log_;
  std::vector<bool> borders_;                   // operands of what enters a manual region
  std::unordered_map<InstId, CompId> started_;  // chains whose computation waits for operands
};

}  // namespace

bool Synchronize(Module& module, PassLog& log) {
  ExpandAsyncSugar(module);
  Synchronizer synchronizer(module, log);
  synchronizer.Run();
  const bool changed = synchronizer.changed();
  module = synchronizer.Finish();
  return changed;
}

}  // namespace halo

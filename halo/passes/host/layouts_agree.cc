// Compares shapes wherever no step moves the data.
#include "halo/passes/host/layouts_agree.h"

#include <algorithm>
#include <span>
#include <vector>

#include "halo/ir/op_properties.h"
#include "halo/passes/rewrite/rewriter.h"

namespace halo {
namespace {

class LayoutReader {
 public:
  explicit LayoutReader(const Module& module) : module_(module), shapes_(module.shapes) {
    parameters_.resize(module.comps.size());
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      const Inst& inst = module.inst(InstId(i));
      if (inst.opcode != Opcode::kParameter) continue;
      std::vector<ShapeId>& list = parameters_[inst.parent.index()];
      if (list.size() <= inst.extra) list.resize(inst.extra + 1);
      list[inst.extra] = inst.shape;
    }
  }

  [[nodiscard]] bool Agrees(const Inst& inst) const {
    const std::span<const InstId> operands = module_.operands_of(inst);
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kTuple: {
        const std::span<const ShapeId> parts = shapes_.elements(inst.shape);
        for (size_t i = 0; i < operands.size() && i < parts.size(); ++i) {
          if (!Same(ShapeOf(operands[i]), parts[i])) return false;
        }
        return true;
      }
      case OpFlow::kElement: {
        const std::span<const ShapeId> parts = shapes_.elements(ShapeOf(operands[0]));
        const auto index = static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
        return index >= parts.size() || Same(parts[index], inst.shape);
      }
      case OpFlow::kForwards: return operands.empty() || Same(ShapeOf(operands[0]), inst.shape);
      case OpFlow::kWhile: return LoopAgrees(inst, ShapeOf(operands[0]));
      case OpFlow::kConditional: return BranchesAgree(inst, operands.subspan(1));
      case OpFlow::kCall:
      case OpFlow::kFusion: {
        std::vector<CompId> called;
        module_.CalledBy(inst, called);
        return called.size() != 1 ||
               (Takes(called[0], operands) && Same(RootOf(called[0]), inst.shape));
      }
      default: return true;
    }
  }

 private:
  [[nodiscard]] ShapeId ShapeOf(InstId id) const { return module_.inst(id).shape; }
  [[nodiscard]] ShapeId RootOf(CompId comp) const { return ShapeOf(module_.comp(comp).root); }

  // Verified modules nest tuples to a bounded depth.
  [[nodiscard]] bool Same(ShapeId a, ShapeId b) const {  // NOLINT(misc-no-recursion)
    if (a == b || !a.valid() || !b.valid()) return true;
    if (shapes_.is_tuple(a) && shapes_.is_tuple(b)) {
      return std::ranges::equal(shapes_.elements(a), shapes_.elements(b),
                                [&](ShapeId left, ShapeId right) { return Same(left, right); });
    }
    if (!shapes_.is_array(a) || !shapes_.is_array(b)) return true;
    return MinorToMajor(shapes_, a) == MinorToMajor(shapes_, b);
  }

  [[nodiscard]] bool Takes(CompId comp, std::span<const InstId> operands) const {
    const std::vector<ShapeId>& parameters = parameters_[comp.index()];
    for (size_t i = 0; i < operands.size() && i < parameters.size(); ++i) {
      if (!Same(ShapeOf(operands[i]), parameters[i])) return false;
    }
    return true;
  }

  [[nodiscard]] bool LoopAgrees(const Inst& inst, ShapeId state) const {
    std::vector<CompId> called;
    module_.CalledBy(inst, called);
    const Attr* body = module_.Find(inst, AttrKey::k_body);
    for (const CompId comp : called) {
      if (!Takes(comp, module_.operands_of(inst).first(1))) return false;
    }
    return Same(state, inst.shape) && (body == nullptr || Same(RootOf(CompId(body->value)), state));
  }

  [[nodiscard]] bool BranchesAgree(const Inst& inst, std::span<const InstId> given) const {
    std::vector<CompId> called;
    module_.CalledBy(inst, called);
    for (size_t i = 0; i < called.size(); ++i) {
      if (!Same(RootOf(called[i]), inst.shape)) return false;
      if (i < given.size() && !Takes(called[i], given.subspan(i, 1))) return false;
    }
    return true;
  }

  const Module& module_;
  const ShapeTable& shapes_;
  std::vector<std::vector<ShapeId>> parameters_;  // by computation, by number
};

}  // namespace

bool LayoutsAgree(const Module& module) {
  const LayoutReader reader(module);
  return std::ranges::all_of(module.insts, [&](const Inst& inst) { return reader.Agrees(inst); });
}

}  // namespace halo

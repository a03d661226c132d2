// A fusion is what the heaviest op in it is.
#include "halo/view/graph/categories.h"

#include <algorithm>
#include <array>
#include <vector>

namespace halo::view {
namespace {

constexpr uint32_t kLookedAt = 400;  // instructions of a fusion

Category OfTarget(std::string_view target) {
  for (const std::string_view word : {"gemm", "matmul", "cublas", "conv", "dot"}) {
    if (target.find(word) != std::string_view::npos) return Category::kMatmul;
  }
  return Category::kCustomCall;
}

Category OfOpcode(Opcode opcode) {
  if (HasTrait(opcode, kCollective)) return Category::kCollective;
  if (HasTrait(opcode, kElementwise)) return Category::kElementwise;
  switch (opcode) {
    case Opcode::kDot:
    case Opcode::kRaggedDot:
    case Opcode::kScaledDot:
    case Opcode::kConvolution: return Category::kMatmul;
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kSelectAndScatter:
    case Opcode::kSort:
    case Opcode::kTopK:
    case Opcode::kScatter: return Category::kReduce;
    case Opcode::kCopy:
    case Opcode::kCopyStart:
    case Opcode::kCopyDone:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kConcatenate:
    case Opcode::kPad:
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kBroadcast:
    case Opcode::kGather:
    case Opcode::kIota: return Category::kMovement;
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kConditional:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone: return Category::kControl;
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kAfterAll:
    case Opcode::kOptimizationBarrier:
    case Opcode::kAddDependency: return Category::kTuple;
    case Opcode::kParameter: return Category::kParameter;
    case Opcode::kConstant: return Category::kConstant;
    default: return Category::kOther;
  }
}

}  // namespace

std::string_view CategoryText(Category category) {
  constexpr std::array<std::string_view, kCategories> kTexts = {
      "matmul",   "collective", "custom call", "reduce",    "fusion",   "elementwise",
      "movement", "control",    "tuple",       "parameter", "constant", "other"};
  return kTexts[static_cast<size_t>(category)];
}

Category CategoryOf(const Module& module, const Inst& inst) {
  if ((inst.flags & kInstSugar) != 0) return OfOpcode(inst.wrapped);
  if (inst.opcode == Opcode::kCustomCall) {
    return OfTarget(module.TextOr(inst.attrs, AttrKey::k_custom_call_target));
  }
  const bool wraps = inst.opcode == Opcode::kAsyncStart;
  if (inst.opcode != Opcode::kFusion && !wraps) return OfOpcode(inst.opcode);
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  Category best = Category::kFusion;
  for (const CompId id : called) {
    const Computation& comp = module.comp(id);
    for (uint32_t i = 0; i < std::min(comp.count, kLookedAt); ++i) {
      const Inst& inner = module.insts[comp.first + i];
      const Category each =
          inner.opcode == Opcode::kCustomCall
              ? OfTarget(module.TextOr(inner.attrs, AttrKey::k_custom_call_target))
              : OfOpcode(inner.opcode);
      best = std::min(best, each);
    }
  }
  return best;
}

}  // namespace halo::view

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

}  // namespace

std::string_view CategoryText(Category category) {
  constexpr std::array<std::string_view, kCategories> kTexts = {
      "matmul",   "collective", "custom call", "reduce",    "fusion",   "elementwise",
      "movement", "control",    "tuple",       "parameter", "constant", "other"};
  return kTexts[static_cast<size_t>(category)];
}

Category CategoryOf(const Module& module, const Inst& inst) {
  if ((inst.flags & kInstSugar) != 0) return PropertiesOf(inst.wrapped).category;
  if (inst.opcode == Opcode::kCustomCall) {
    return OfTarget(module.TextOr(inst.attrs, AttrKey::k_custom_call_target));
  }
  const bool wraps = inst.opcode == Opcode::kAsyncStart;
  if (inst.opcode != Opcode::kFusion && !wraps) return PropertiesOf(inst.opcode).category;
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
              : PropertiesOf(inner.opcode).category;
      best = std::min(best, each);
    }
  }
  return best;
}

}  // namespace halo::view

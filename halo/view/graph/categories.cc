// The category of a fusion or an async chain is that of the heaviest op inside it.
#include "halo/view/graph/categories.h"

#include <algorithm>
#include <array>
#include <vector>

#include "halo/semantics/facts/async_chain.h"

namespace halo::view {
namespace {

constexpr uint32_t kLookedAt = 400;  // instructions inside one

Category OfTarget(std::string_view target) {
  for (const std::string_view word : {"gemm", "matmul", "cublas", "conv", "dot"}) {
    if (target.find(word) != std::string_view::npos) return Category::kMatmul;
  }
  return Category::kCustomCall;
}

// `left` is the number of instructions that may still be looked at.
Category CategoryWithin(const Module& module, const Inst& given, uint32_t& left);

// A fusion that computes nothing but the indices at which it reads or writes only moves data.
Category OfContents(const Module& module, const Inst& inst, uint32_t& left) {
  std::vector<CompId> called;
  module.CalledBy(inst, called);
  Category best = Category::kFusion;
  bool computes = false, moves = false;
  for (const CompId id : called) {
    const Computation& comp = module.comp(id);
    for (uint32_t i = 0; i < comp.count; ++i) {
      if (left == 0) return best;
      --left;
      const Inst& inner = module.insts[comp.first + i];
      const Category each = CategoryWithin(module, inner, left);
      best = std::min(best, each);
      const bool is_scalar =
          module.shapes.is_array(inner.shape) && module.shapes.dims(inner.shape).empty();
      moves = moves || each == Category::kMovement;
      computes = computes || each == Category::kControl || each == Category::kFusion ||
                 (each == Category::kElementwise && !is_scalar);
    }
  }
  return best == Category::kFusion && moves && !computes ? Category::kMovement : best;
}

// The async-start that an update or a done continues; itself for any other instruction.
const Inst& StartOf(const Module& module, const Inst& inst) {
  const bool continues = inst.opcode == Opcode::kAsyncDone || inst.opcode == Opcode::kAsyncUpdate;
  if (!continues || inst.operand_count == 0) return inst;
  const InstId source = module.operands_of(inst)[0];
  if (!source.valid() || !IsAsyncSource(module.inst(source).opcode)) return inst;
  const std::optional<InstId> start = AsyncStartOf(module, source);
  return start ? module.inst(*start) : inst;
}

Category CategoryWithin(const Module& module, const Inst& given, uint32_t& left) {
  const Inst& inst = StartOf(module, given);
  if ((inst.flags & kInstSugar) != 0) return PropertiesOf(inst.wrapped).category;
  if (inst.opcode == Opcode::kCustomCall) {
    return OfTarget(module.TextOr(inst.attrs, AttrKey::k_custom_call_target));
  }
  const bool holds = inst.opcode == Opcode::kFusion || inst.opcode == Opcode::kAsyncStart;
  return holds ? OfContents(module, inst, left) : PropertiesOf(inst.opcode).category;
}

}  // namespace

std::string_view CategoryText(Category category) {
  constexpr std::array<std::string_view, kCategories> kTexts = {
      "matmul",   "collective", "custom call", "reduce",    "fusion",   "elementwise",
      "movement", "control",    "tuple",       "parameter", "constant", "other"};
  return kTexts[static_cast<size_t>(category)];
}

Category CategoryOf(const Module& module, const Inst& inst) {
  uint32_t left = kLookedAt;
  return CategoryWithin(module, inst, left);
}

}  // namespace halo::view

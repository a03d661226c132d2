// Flops of attention kernels that are opaque calls to the compiler: Pallas' splash attention, known
// by its name. The mask is inside the kernel, so a causal one is assumed.
#ifndef HALO_COST_COUNT_ATTENTION_FLOPS_H_
#define HALO_COST_COUNT_ATTENTION_FLOPS_H_

#include <optional>

#include "halo/ir/module.h"

namespace halo {

struct Attention {
  double flops = 0;  // of the products, for half of all pairs of positions
  ElementType type = ElementType::kBF16;
};

// Nothing if the instruction is no such kernel, or has other operands than expected.
std::optional<Attention> AttentionOf(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_COST_COUNT_ATTENTION_FLOPS_H_

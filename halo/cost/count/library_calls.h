// What a custom call computes, by its target. Lists the targets whose cost is understood; all
// others are opaque.
#ifndef HALO_COST_COUNT_LIBRARY_CALLS_H_
#define HALO_COST_COUNT_LIBRARY_CALLS_H_

#include <cstdint>

#include "halo/ir/module.h"

namespace halo {

enum class LibraryCall : uint8_t {
  kNone,  // not a custom call
  kOpaque,
  kGemm,
  kConvolution,
  kAttention,
  kNorm,
  kSort,
  kSelect,
  kFactorization,
  kMarker,
  kHost,
};

LibraryCall LibraryCallOf(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_COST_COUNT_LIBRARY_CALLS_H_

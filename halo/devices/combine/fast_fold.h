// Vector loops that fold common types. All other reductions go through CollectiveOp::fold. The
// results match the evaluator's bit for bit: float sums accumulate in double, in order, and are
// rounded once.
#ifndef HALO_DEVICES_COMBINE_FAST_FOLD_H_
#define HALO_DEVICES_COMBINE_FAST_FOLD_H_

#include <cstdint>
#include <span>

#include "halo/runtime/collective.h"

namespace halo {

// Folds `count` elements, at most kFoldElements; `out` may be one of `in`.
using FastFold = void (*)(std::span<const uint8_t* const> in, uint8_t* out, size_t count);

inline constexpr size_t kFoldElements = 2048;

// Returns null if there is no vector loop for this reduction.
FastFold FastFoldOf(ReduceKind kind, ElementType type);

// A fold in several steps, each of which continues where the one before it stopped: the state in
// between has the precision that the whole fold has, so the result has the same bits.
struct ChainFold {
  // Folds `in` after the state `before` (null: from the start). Writes the state to `after`, or the
  // rounded elements if this is the last step. At most kFoldElements.
  using Step = void (*)(const uint8_t* before, std::span<const uint8_t* const> in, uint8_t* after,
                        size_t count, bool is_last);
  Step step = nullptr;       // null: cannot be done in steps
  size_t element_bytes = 0;  // of the state
};
ChainFold ChainFoldOf(ReduceKind kind, ElementType type);

}  // namespace halo

#endif  // HALO_DEVICES_COMBINE_FAST_FOLD_H_

// Keys whose integer order is the total order of numbers: for floats -NaN < -Inf < -0 < +0 < +Inf <
// +NaN, for integers their usual order.
#ifndef HALO_EVAL_LANES_TOTAL_ORDER_H_
#define HALO_EVAL_LANES_TOTAL_ORDER_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "halo/eval/lanes/lanes.h"

namespace halo {

inline int64_t TotalOrderKey(double value) {
  const auto bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
}

// Converts lanes of a real type to such keys, in place.
inline void ToTotalOrderKeys(LaneKind kind, size_t n, void* lanes) {
  auto* keys = static_cast<int64_t*>(lanes);
  if (kind == LaneKind::kFloat) {
    const auto* values = static_cast<const double*>(lanes);
    for (size_t i = 0; i < n; ++i) keys[i] = TotalOrderKey(values[i]);
  }
  if (kind == LaneKind::kUint) {
    for (size_t i = 0; i < n; ++i) keys[i] ^= std::numeric_limits<int64_t>::min();
  }
}

}  // namespace halo

#endif  // HALO_EVAL_LANES_TOTAL_ORDER_H_

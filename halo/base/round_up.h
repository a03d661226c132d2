// Rounds a value up to a multiple of a unit, for alignment.
#ifndef HALO_BASE_ROUND_UP_H_
#define HALO_BASE_ROUND_UP_H_

#include <cstdint>

namespace halo {

inline int64_t RoundUp(int64_t value, int64_t unit) {
  const int64_t rest = value % unit;
  return rest == 0 ? value : value + (unit - rest);
}

}  // namespace halo

#endif  // HALO_BASE_ROUND_UP_H_

// Sums and products that saturate instead of overflowing, for counts over nested loops with hostile
// trip counts.
#ifndef HALO_BASE_CAPPED_H_
#define HALO_BASE_CAPPED_H_

#include <cstdint>

namespace halo {

inline int64_t MultiplyCapped(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

inline int64_t AddCapped(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

}  // namespace halo

#endif  // HALO_BASE_CAPPED_H_

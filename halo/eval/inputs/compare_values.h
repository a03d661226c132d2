// Compares two arrays: which elements differ by more than the tolerance, by how much, and where the
// difference is largest. Equal bits, two NaNs, and equal infinities never differ.
#ifndef HALO_EVAL_INPUTS_COMPARE_VALUES_H_
#define HALO_EVAL_INPUTS_COMPARE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halo/eval/lanes/array.h"

namespace halo {

// An element may differ by atol + rtol * |expected|, by `ulp` ulps of its type, or by `largest_ulp`
// ulps at the largest expected magnitude in its array. The last is the best guarantee for a sum
// whose terms cancel: its error is proportional to its terms, not to its result.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  int64_t ulp = 0;
  double largest_ulp = 0;
};

// How much two correct programs may differ when they round and sum in different orders, where
// `summed` is the length of the longest sum; see docs/run.md for the reasons. Integers and pred
// must be equal.
Tolerance DefaultTolerance(ElementType type, int64_t summed = 1);

struct ElementDifference {
  Dims index;
  double got = 0, expected = 0;            // real parts
  double got_imag = 0, expected_imag = 0;  // of complex elements
  double absolute = 0;
  double relative = 0;  // to |expected|; infinite if that is 0
  int64_t ulp = 0;      // distance in ulps; for complex elements, that of the larger part
};

struct ArrayComparison {
  bool comparable = true;  // same type and dimensions; if not, the rest is 0
  int64_t count = 0;
  int64_t different = 0;  // not equal
  int64_t beyond = 0;     // beyond the tolerance
  double max_absolute = 0, max_relative = 0;
  int64_t max_ulp = 0;
  double largest_expected = 0;           // magnitude, over finite elements
  std::vector<ElementDifference> worst;  // those beyond the tolerance first, then by ulp

  [[nodiscard]] bool ok() const { return comparable && beyond == 0; }
};

ArrayComparison CompareArrays(const Array& got, const Array& expected, const Tolerance& tolerance,
                              size_t keep_worst = 5);

// Returns true if the dimensions and all bits are equal.
bool SameBits(const Array& a, const Array& b);

}  // namespace halo

#endif  // HALO_EVAL_INPUTS_COMPARE_VALUES_H_

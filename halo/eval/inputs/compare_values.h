// Two arrays side by side: which elements differ by more than is allowed, by how much, and where it
// is worst. Equal bits, two NaN, and equal infinities never differ.
#ifndef HALO_EVAL_INPUTS_COMPARE_VALUES_H_
#define HALO_EVAL_INPUTS_COMPARE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halo/eval/lanes/array.h"

namespace halo {

// An element may differ by atol + rtol * |expected|, by so many steps of its type's grid, or by so
// many of the steps there are at the largest magnitude expected in its array. The last is what a
// sum whose terms cancel can promise: its error is as large as its terms, not as its result.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  int64_t ulp = 0;
  double largest_ulp = 0;
};

// What two right programs may differ by when they round and sum in different orders, `summed` being
// the longest sum: docs/run.md tells why. Integers and pred: nothing.
Tolerance DefaultTolerance(ElementType type, int64_t summed = 1);

struct ElementDifference {
  Dims index;
  double got = 0, expected = 0;            // real parts
  double got_imag = 0, expected_imag = 0;  // of complex elements
  double absolute = 0;
  double relative = 0;  // to |expected|; infinite where that is 0
  int64_t ulp = 0;      // steps between them; of complex elements the larger part's
};

struct ArrayComparison {
  bool comparable = true;  // same type and dimensions; all else is 0 if not
  int64_t count = 0;
  int64_t different = 0;  // at all
  int64_t beyond = 0;     // the tolerance
  double max_absolute = 0, max_relative = 0;
  int64_t max_ulp = 0;
  double largest_expected = 0;           // magnitude, of finite elements
  std::vector<ElementDifference> worst;  // beyond the tolerance first, then by ulp

  [[nodiscard]] bool ok() const { return comparable && beyond == 0; }
};

ArrayComparison CompareArrays(const Array& got, const Array& expected, const Tolerance& tolerance,
                              size_t keep_worst = 5);

// Alike in dimensions and every bit.
bool SameBits(const Array& a, const Array& b);

}  // namespace halo

#endif  // HALO_EVAL_INPUTS_COMPARE_VALUES_H_

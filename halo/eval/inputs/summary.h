// Summarizes an array in one line: minimum, maximum, mean, and how many elements are NaN or
// infinite.
#ifndef HALO_EVAL_INPUTS_SUMMARY_H_
#define HALO_EVAL_INPUTS_SUMMARY_H_

#include <cstdint>

#include "halo/eval/lanes/array.h"

namespace halo {

struct ArraySummary {
  int64_t count = 0;
  int64_t nans = 0;
  int64_t infinities = 0;
  int64_t zeros = 0;
  // Over the finite elements; complex elements count by magnitude. All zero if there are none.
  double min = 0, max = 0, mean = 0;

  [[nodiscard]] int64_t finite() const { return count - nans - infinities; }
};

ArraySummary Summarize(const Array& array);

// Whether any element is NaN, and whether any is infinite. Fast, since most arrays have neither.
struct NonFinite {
  bool nan = false;
  bool infinite = false;
};
NonFinite FindNonFinite(const Array& array);

}  // namespace halo

#endif  // HALO_EVAL_INPUTS_SUMMARY_H_

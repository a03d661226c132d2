// Compares results with an archive of expected ones: a verdict for each output, and what is missing
// on either side.
#ifndef HALO_API_RUN_RUN_COMPARE_H_
#define HALO_API_RUN_RUN_COMPARE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/inputs/compare_values.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

// A given value replaces the default of every element type; see DefaultTolerance.
struct ToleranceChoice {
  std::optional<double> rtol, atol, largest_ulp;
  std::optional<int64_t> ulp;
};
Tolerance ToleranceFor(ElementType type, int64_t longest_sum, const ToleranceChoice& choice);

struct OutputComparison {
  std::string name;  // "out_0"
  ElementType type = ElementType::kPred;
  Dims dims, expected_dims;
  Tolerance tolerance;
  std::string problem;  // why it could not be compared: "not in the archive", "float32, not bf16"
  ArrayComparison result;

  [[nodiscard]] bool ok() const { return problem.empty() && result.ok(); }
};

struct NamedArray {
  std::string name;
  int64_t device = 0;
  size_t leaf = 0;
  const Array* array = nullptr;
};

// Errors of the archive itself go to `diagnostics`. A module that is not yet partitioned yields the
// whole array on every device; if the archive contains shards of it, those are compared.
std::vector<OutputComparison> CompareOutputs(const Module& module,
                                             std::span<const NamedArray> outputs,
                                             const std::string& expected, int64_t devices,
                                             int64_t longest_sum, const ToleranceChoice& choice,
                                             size_t worst, Diagnostics& diagnostics);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_COMPARE_H_

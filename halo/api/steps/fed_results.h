// Which results of a step replace which parameters in the next one. The module's input_output_alias
// decides: a donated parameter shares its buffer with the result that is its new value. Other
// parameters keep their inputs, and other results are those of the last step.
#ifndef HALO_API_STEPS_FED_RESULTS_H_
#define HALO_API_STEPS_FED_RESULTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

struct FedResult {
  std::vector<int64_t> result;  // path in the result
  size_t parameter = 0;
  std::vector<int64_t> path;  // within the parameter
  size_t input = 0;           // the parameter's leaf among all inputs: in_<input>
  ShapeId shape;
};

// Ordered by input. A diagnostic if there are none, or if a result cannot replace its parameter.
Result<std::vector<FedResult>> FindFedResults(const Module& module);

// Copies results over the arguments that they replace.
void FeedBack(std::span<const FedResult> fed, const Value& result, std::vector<Value>& arguments);

// The array at a path; null if there is none.
const Array* ArrayAt(const Value& value, std::span<const int64_t> path);
void ReplaceArray(Value& value, std::span<const int64_t> path, Array array);

}  // namespace halo

#endif  // HALO_API_STEPS_FED_RESULTS_H_

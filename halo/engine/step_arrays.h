// Maps the arrays of a plan's step to the instruction's operands and results, for step watches.
#ifndef HALO_ENGINE_STEP_ARRAYS_H_
#define HALO_ENGINE_STEP_ARRAYS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"
#include "halo/runtime/executable.h"

namespace halo {

struct StepArray {
  InstId inst;      // the instruction whose value it belongs to
  size_t leaf = 0;  // of that value
  ShapeId shape;
  size_t buffer = 0;  // index among the step's buffers
};

struct StepArrays {
  std::vector<StepArray> operands, results;
};

// Empty for loops, branches and calls, whose inner steps are visible. The start of a collective has
// operands only, and the wait for it results only.
StepArrays ArraysOf(const Module& module, const Step& step);

// The bytes in memory order, as a one-dimensional array.
Array FlatView(const Module& module, const StepArray& array, std::span<void* const> buffers);

}  // namespace halo

#endif  // HALO_ENGINE_STEP_ARRAYS_H_

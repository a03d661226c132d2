// The arrays of a plan's step as the instruction's operands and results, for whoever looks on.
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
  InstId inst;      // whose value it is part of
  size_t leaf = 0;  // of that value
  ShapeId shape;
  size_t buffer = 0;  // of the step's
};

struct StepArrays {
  std::vector<StepArray> operands, results;
};

// Nothing for loops, branches and calls, whose inner steps are seen. A collective that begins has
// operands only, one that is awaited results only.
StepArrays ArraysOf(const Module& module, const Step& step);

// As its bytes lie, in one dimension.
Array FlatView(const Module& module, const StepArray& array, std::span<void* const> buffers);

}  // namespace halo

#endif  // HALO_ENGINE_STEP_ARRAYS_H_

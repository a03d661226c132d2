// Generates inputs from a seed. The same seed, parameter and device give the same elements on every
// machine, regardless of the other parameters.
#ifndef HALO_EVAL_INPUTS_RANDOM_INPUTS_H_
#define HALO_EVAL_INPUTS_RANDOM_INPUTS_H_

#include <cstdint>
#include <span>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/eval/lanes/array.h"

namespace halo {

// What one input is generated from.
struct RandomInput {
  uint64_t seed = 0;
  int64_t parameter = 0;
  int64_t leaf = 0;  // leaf index within the parameter
  int64_t part = 0;  // devices with the same part get the same elements
  InputUse use;
};

Array MakeRandomInput(ElementType type, std::span<const int64_t> dims, const RandomInput& input);

// Returns the range of a role's elements for display: "[0, 1024)".
std::string RangeText(ElementType type, const InputUse& use);

}  // namespace halo

#endif  // HALO_EVAL_INPUTS_RANDOM_INPUTS_H_

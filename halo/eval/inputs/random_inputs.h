// Inputs made up from a seed. The same seed, parameter and device give the same elements on every
// machine, whatever the other parameters are.
#ifndef HALO_EVAL_INPUTS_RANDOM_INPUTS_H_
#define HALO_EVAL_INPUTS_RANDOM_INPUTS_H_

#include <cstdint>
#include <span>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/eval/lanes/array.h"

namespace halo {

// What one input is drawn from.
struct RandomInput {
  uint64_t seed = 0;
  int64_t parameter = 0;
  int64_t leaf = 0;  // among the parameter's own
  int64_t part = 0;  // devices with the same part get the same elements
  InputUse use;
};

Array MakeRandomInput(ElementType type, std::span<const int64_t> dims, const RandomInput& input);

// The lowest and highest that a role's elements can be, for showing: "[0, 1024)".
std::string RangeText(ElementType type, const InputUse& use);

}  // namespace halo

#endif  // HALO_EVAL_INPUTS_RANDOM_INPUTS_H_

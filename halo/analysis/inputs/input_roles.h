// What a program does with its inputs, found by walking back from their uses: which integers pick
// rows of what, which floats stand under a root or below a fraction bar, which words are the state
// of a random generator. Inputs made up to fit (random_inputs.h) let a program run as it was meant
// to: without lookups that all end at the clamp, and without NaN.
#ifndef HALO_ANALYSIS_INPUTS_INPUT_ROLES_H_
#define HALO_ANALYSIS_INPUTS_INPUT_ROLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"

namespace halo {

enum class InputRole : uint8_t {
  kValue,        // floats around zero
  kFactor,       // floats that are multiplied and summed: around zero, smaller the longer the sum
  kPositive,     // under a root or logarithm, or a divisor
  kIndex,        // an index below `limit`
  kCount,        // integers without a telling use: small, not negative
  kMask,         // pred
  kRandomState,  // keys and states of generators: any bits
  kToken,        // no data
};
std::string_view TextOf(InputRole role);

struct InputUse {
  InputRole role = InputRole::kValue;
  int64_t limit = 0;   // kIndex
  int64_t summed = 0;  // kFactor: products in a sum
  InstId because;      // the instruction that decided; none if only the type did
};

// One array (or token) of the entry's parameters; tuples are taken apart in order.
struct InputLeaf {
  int64_t parameter = 0;
  InstId inst;
  std::vector<int64_t> path;  // indices into nested tuples; empty if the parameter is an array
  ShapeId shape;
};

std::vector<InputLeaf> InputLeaves(const Module& module);
// How each of them is used, in the same order.
std::vector<InputUse> InferInputRoles(const Module& module);

}  // namespace halo

#endif  // HALO_ANALYSIS_INPUTS_INPUT_ROLES_H_

// What a program does with its inputs, found by walking back from their uses: which integers index
// rows of what, which floats are under a root or in a denominator, which words are the state of a
// random generator. Inputs generated to fit (random_inputs.h) let a program run as intended:
// without lookups that are all clamped, and without NaN.
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
  kCount,        // integers without a revealing use: small, not negative
  kMask,         // pred
  kRandomState,  // keys and states of generators: any bits
  kToken,        // no data
};
std::string_view TextOf(InputRole role);

struct InputUse {
  InputRole role = InputRole::kValue;
  int64_t limit = 0;   // kIndex
  int64_t summed = 0;  // kFactor: products in a sum
  InstId because;      // the instruction that decided; invalid if only the type did
};

// One array (or token) of the entry's parameters; tuples are flattened in order.
struct InputLeaf {
  int64_t parameter = 0;
  InstId inst;
  int64_t ordinal = 0;        // among the leaves of its parameter
  std::vector<int64_t> path;  // indices into nested tuples; empty if the parameter is an array
  ShapeId shape;
};

std::vector<InputLeaf> InputLeaves(const Module& module);
// How each leaf is used, in the same order.
std::vector<InputUse> InferInputRoles(const Module& module);

}  // namespace halo

#endif  // HALO_ANALYSIS_INPUTS_INPUT_ROLES_H_

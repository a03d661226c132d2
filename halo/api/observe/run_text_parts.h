// Parts of a run's result as text, shared by all front ends: small arrays as HLO literals, and the
// location of an instruction in the program and in the user's source.
#ifndef HALO_API_OBSERVE_RUN_TEXT_PARTS_H_
#define HALO_API_OBSERVE_RUN_TEXT_PARTS_H_

#include <string>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"
#include "haloscope/numbers.h"

namespace halo {

// True if the array has few enough elements to be printed in full.
bool IsSmall(const Array& array);
// Formatted like a constant of that value: {1, 2.5}.
std::string LiteralText(const Array& array);
// f32[8,4]
std::string ShapeText(ElementType type, std::span<const int64_t> dims);

using InstructionLocation = v0::InstructionLocation;
InstructionLocation LocationOf(const Module& module, InstId inst);

}  // namespace halo

#endif  // HALO_API_OBSERVE_RUN_TEXT_PARTS_H_

// How many numbers an instruction adds up for one element of its result. Rounding errors grow with
// it, and generated factors are scaled down by it.
#ifndef HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_
#define HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_

#include <cstdint>

#include "halo/ir/module.h"

namespace halo {

// 0 if the instruction does not sum.
int64_t SumLength(const Module& module, const Inst& inst);
// The longest sum in the module; at least 1.
int64_t LongestSum(const Module& module);

}  // namespace halo

#endif  // HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_

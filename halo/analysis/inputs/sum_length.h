// How many numbers an instruction adds up for one element of its result: what rounding errors grow
// with, and what keeps made-up factors small.
#ifndef HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_
#define HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_

#include <cstdint>

#include "halo/ir/module.h"

namespace halo {

// 0 if it adds nothing up.
int64_t SumLength(const Module& module, const Inst& inst);
// The longest in the module; at least 1.
int64_t LongestSum(const Module& module);

}  // namespace halo

#endif  // HALO_ANALYSIS_INPUTS_SUM_LENGTH_H_

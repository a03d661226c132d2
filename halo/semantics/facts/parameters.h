// A computation's parameters by number, which need not be their order in the computation. The
// verifier checks whether the numbers are right.
#ifndef HALO_SEMANTICS_FACTS_PARAMETERS_H_
#define HALO_SEMANTICS_FACTS_PARAMETERS_H_

#include <vector>

#include "halo/ir/module.h"

namespace halo {

// Element i of the result is the parameter with number i, or no instruction if there is none.
// Numbers beyond the count of instructions cannot be right and must not cost memory: they are left
// out.
std::vector<InstId> ParametersOf(const Module& module, CompId comp);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_PARAMETERS_H_

// A computation's parameters by their number, which need not be the order they stand in. Whether
// the numbers are right is for the verifier to say.
#ifndef HALO_SEMANTICS_FACTS_PARAMETERS_H_
#define HALO_SEMANTICS_FACTS_PARAMETERS_H_

#include <vector>

#include "halo/ir/module.h"

namespace halo {

// The parameter with number i stands at i; where there is none, no instruction does. Numbers beyond
// the count of instructions cannot be right and must not cost memory: they are left out.
std::vector<InstId> ParametersOf(const Module& module, CompId comp);

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_PARAMETERS_H_

// Readies tuples for copies of single elements: what a loop, a branch or a call is given, and what
// a computation returns, is a tuple made right there for nobody else. Elements are taken from where
// they come from, not from tuples made before. Barriers, which nothing reorders across any more,
// go, and so do copies: who needs them puts them back.
#ifndef HALO_PASSES_MEMORY_SPREAD_TUPLES_H_
#define HALO_PASSES_MEMORY_SPREAD_TUPLES_H_

#include "halo/ir/module.h"

namespace halo {

Module SpreadTuples(Module module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_SPREAD_TUPLES_H_

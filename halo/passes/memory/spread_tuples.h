// Prepares tuples for copies of single elements: the operand of a loop, branch or call, and the
// result of a computation, becomes a tuple built right there with no other user. Elements are taken
// from their source, not from earlier tuples. Barriers are removed, since nothing is reordered
// across them any more. So are copies: the pass that needs them inserts them again.
#ifndef HALO_PASSES_MEMORY_SPREAD_TUPLES_H_
#define HALO_PASSES_MEMORY_SPREAD_TUPLES_H_

#include "halo/ir/module.h"

namespace halo {

Module SpreadTuples(Module module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_SPREAD_TUPLES_H_

// Splits the collectives of a program in its final order into a start, as soon as the operands are
// available, and a done, right before the first use. Instructions between them run while data is in
// transit. The pair uses HLO's own async form, so that memory planning keeps operands and results
// separate from everything in between.
#ifndef HALO_PASSES_MEMORY_START_COLLECTIVES_H_
#define HALO_PASSES_MEMORY_START_COLLECTIVES_H_

#include <set>
#include <string>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

// Collectives that write an operand in place, that have no users, or that are named in `except`
// stay unchanged. The order of starts is the same wherever the same module is compiled. Fails like
// UnshareCalls.
Result<Module> StartCollectives(Module module, PassLog& log,
                                const std::set<std::string>& except = {});

// Names of collectives whose done no longer uses its start directly: a copy was inserted between
// them, because something overwrites an operand while the collective is in flight.
std::set<std::string> TornCollectives(const Module& module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_START_COLLECTIVES_H_

// Collectives of a program in its final order become pairs of a start, as soon as their operands
// are there, and a done, right before the first use: what stands between them runs while data is on
// its way. The pair is HLO's own async form, so that planning memory keeps operands and results
// apart from everything in between.
#ifndef HALO_PASSES_MEMORY_START_COLLECTIVES_H_
#define HALO_PASSES_MEMORY_START_COLLECTIVES_H_

#include <set>
#include <string>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

// Those that write an operand in place, those without users, and those named in `except` stay as
// they are. The order of starts is the same wherever the same module is compiled. Fails as
// UnshareCalls does.
Result<Module> StartCollectives(Module module, PassLog& log,
                                const std::set<std::string>& except = {});

// Names of collectives whose done no longer stands on its start: a copy was put between them,
// because something overwrites an operand while it is under way.
std::set<std::string> TornCollectives(const Module& module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_START_COLLECTIVES_H_

// Collectives of a program in its final order become pairs of a start, as soon as their operands
// are there, and a done, right before the first use: what stands between them runs while data is on
// its way. The pair is HLO's own async form, so that planning memory keeps operands and results
// apart from everything in between.
#ifndef HALO_PASSES_START_COLLECTIVES_H_
#define HALO_PASSES_START_COLLECTIVES_H_

#include "halo/base/result.h"
#include "halo/ir/module.h"
#include "halo/passes/pass.h"

namespace halo {

// Those that write an operand in place, and those without users, stay as they are. The order of
// starts is the same wherever the same module is compiled. Fails as UnshareCalls does.
Result<Module> StartCollectives(Module module, PassLog& log);

}  // namespace halo

#endif  // HALO_PASSES_START_COLLECTIVES_H_

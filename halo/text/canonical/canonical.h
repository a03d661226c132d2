// The canonical style: what XLA (jaxlib 0.10.2) prints after reading the same module. Canonicalize
// brings a module into the state that XLA's reader would produce: unique names, layouts filled in,
// instructions and computations in post order, defaults dropped, async wrappers as X-start. The
// writer decides the spelling.
#ifndef HALO_TEXT_CANONICAL_CANONICAL_H_
#define HALO_TEXT_CANONICAL_CANONICAL_H_

#include "halo/ir/module.h"

namespace halo {

void Canonicalize(Module& module);

// The switches of the canonical style.
Style CanonicalStyle();

// ---- The steps, in order; each has a separate file.

// An async-start that calls a computation of one instruction becomes that instruction's X-start.
void ContractAsyncWrappers(Module& module);
// Makes instruction and computation names unique in the module, as XLA's name tables do.
void UniquifyNames(Module& module);
// Bring shapes and attributes into XLA's internal form.
void NormalizeAttributes(Module& module);
void NormalizeHeader(Module& module);
// Keeps only the stack frames in use, numbered by first use.
void RenumberStackFrames(Module& module);
// Post order of computations, and of instructions in a module that is not scheduled. The first
// depends on the order in which instructions were read, so it runs first.
void OrderComputations(Module& module);
void OrderInstructions(Module& module);

}  // namespace halo

#endif  // HALO_TEXT_CANONICAL_CANONICAL_H_

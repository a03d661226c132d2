// The canonical style: what XLA (jaxlib 0.10.2) prints after reading the same module. Canonicalize
// brings a module into the state XLA's reader would: names made unique, layouts filled in,
// instructions and computations in post order, defaults dropped, async wrappers as X-start. It
// leaves spelling to the writer.
#ifndef HALO_TEXT_CANONICAL_CANONICAL_H_
#define HALO_TEXT_CANONICAL_CANONICAL_H_

#include "halo/ir/module.h"

namespace halo {

void Canonicalize(Module& module);

// The switches of the canonical style.
Style CanonicalStyle();

// ---- The steps, in order; each is a file of its own.

// async-start calling a computation of one instruction becomes that instruction's X-start.
void ContractAsyncWrappers(Module& module);
// Instruction and computation names unique over the module, as XLA's name tables make them.
void UniquifyNames(Module& module);
// Shapes and attributes as XLA keeps them.
void NormalizeAttributes(Module& module);
void NormalizeHeader(Module& module);
// Only the stack frames in use, numbered by first use.
void RenumberStackFrames(Module& module);
// Post order among computations, and within those of a module that is not scheduled. The first
// goes by the order in which instructions were read, so it comes first.
void OrderComputations(Module& module);
void OrderInstructions(Module& module);

}  // namespace halo

#endif  // HALO_TEXT_CANONICAL_CANONICAL_H_

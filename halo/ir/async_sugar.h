// Expands async instructions in short form, "slice-start(...)", into the form they abbreviate: an
// async-start that calls a computation holding the slice. Text keeps the short form. Code that
// needs the computations (the proto writer, execution) expands a copy first.
#ifndef HALO_IR_ASYNC_SUGAR_H_
#define HALO_IR_ASYNC_SUGAR_H_

#include "halo/ir/module.h"

namespace halo {

// True if any instruction is in short form.
bool HasAsyncSugar(const Module& module);

// Names for new instructions and computations: unique within the module, or plain (async_wrapped,
// async_param, the opcode) for a caller that makes names unique itself.
enum class SugarNames : uint8_t { kFresh, kPlain };

// Existing instructions keep their ids; new ones and their computations are appended. In `order`, a
// new computation comes right before the one that uses it.
void ExpandAsyncSugar(Module& module, SugarNames names = SugarNames::kFresh);

}  // namespace halo

#endif  // HALO_IR_ASYNC_SUGAR_H_

// Turns async instructions written in short, "slice-start(...)", into what they stand for: an
// async-start that calls a computation holding the slice. Text keeps the short form; whoever needs
// the computations (the proto writer, executions) expands a copy first.
#ifndef HALO_IR_ASYNC_SUGAR_H_
#define HALO_IR_ASYNC_SUGAR_H_

#include "halo/ir/module.h"

namespace halo {

// True if some instruction is written in short.
bool HasAsyncSugar(const Module& module);

// The names of what is new: unlike any other of the module, or plain (async_wrapped, async_param,
// the opcode) for a caller that makes names unique itself.
enum class SugarNames : uint8_t { kFresh, kPlain };

// Existing instructions keep their ids; new ones and their computations are appended. In `order` a
// new computation stands right before the one that uses it.
void ExpandAsyncSugar(Module& module, SugarNames names = SugarNames::kFresh);

}  // namespace halo

#endif  // HALO_IR_ASYNC_SUGAR_H_

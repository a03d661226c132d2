// The functions that define the opcodes, one per rule of eval_rules.def, declared from that list.
#ifndef HALO_EVAL_CONTEXT_OPS_H_
#define HALO_EVAL_CONTEXT_OPS_H_

#include "halo/eval/context/op_context.h"

namespace halo {

#define HALO_EVAL(opcode, rule) Result<Value> Eval##rule(OpContext& cx);
#include "halo/eval/context/eval_rules.def"

// Returns the function of an opcode; null for opcodes that the machine executes itself.
OpFunction EvalRuleOf(Opcode opcode);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_OPS_H_

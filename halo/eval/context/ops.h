// The functions that define the opcodes, one per rule of eval_rules.def, declared from that list.
#ifndef HALO_EVAL_CONTEXT_OPS_H_
#define HALO_EVAL_CONTEXT_OPS_H_

#include "halo/eval/context/op_context.h"

namespace halo {

#define HALO_EVAL(opcode, rule) Result<Value> Eval##rule(OpContext& cx);
#include "halo/eval/context/eval_rules.def"

// Returns the function of an opcode; null for opcodes that the machine executes itself.
OpFunction EvalRuleOf(Opcode opcode);

// Applies the function of an opcode that has one. Programs of mixed precision may declare a float
// of another width than the operands have; the result gets the declared type. Fails if the function
// has read an operand or a result that does not exist.
Result<Value> EvalOp(OpContext& cx);

}  // namespace halo

#endif  // HALO_EVAL_CONTEXT_OPS_H_

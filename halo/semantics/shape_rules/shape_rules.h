// One shape rule for each opcode, chosen by shape_rules.def. A rule looks at operands and
// attributes, reports what is wrong with them, and says what shape the instruction must have.
#ifndef HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_
#define HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_

#include "halo/semantics/rules/rule_context.h"

namespace halo {

// Each is declared as often as opcodes share it.
#define HALO_SHAPE_RULE(opcode, rule) Inferred Infer##rule(RuleContext& op);
#include "halo/semantics/shape_rules/shape_rules.def"

// Checks one instruction with its rule and compares what the rule infers with what is declared.
void CheckShapeOf(RuleContext& op, bool warnings);

}  // namespace halo

#endif  // HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_

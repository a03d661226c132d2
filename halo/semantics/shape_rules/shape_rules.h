// One shape rule for each opcode, chosen by shape_rules.def. A rule examines operands and
// attributes, reports what is wrong with them, and infers the shape that the instruction must have.
#ifndef HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_
#define HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_

#include "halo/semantics/rules/rule_context.h"

namespace halo {

// A rule that several opcodes share is declared once for each of them.
#define HALO_SHAPE_RULE(opcode, rule) Inferred Infer##rule(RuleContext& op);
#include "halo/semantics/shape_rules/shape_rules.def"

// Checks one instruction with its rule and compares the inferred shape with the declared one.
void CheckShapeOf(RuleContext& op, bool warnings);

}  // namespace halo

#endif  // HALO_SEMANTICS_SHAPE_RULES_SHAPE_RULES_H_

// The table from opcode to definition, generated from eval_rules.def. The build fails if a
// definition is missing.
#include "halo/eval/context/ops.h"

#include <array>

#include "halo/eval/context/converted.h"

namespace halo {

OpFunction EvalRuleOf(Opcode opcode) {
  static constexpr size_t kOps = static_cast<size_t>(Opcode::kUnknown) + 1;
  static constexpr std::array<OpFunction, kOps> kRules = [] {
    std::array<OpFunction, kOps> rules{};
#define HALO_EVAL(name, rule) rules[static_cast<size_t>(Opcode::k##name)] = Eval##rule;
#include "halo/eval/context/eval_rules.def"
    return rules;
  }();
  return kRules[static_cast<size_t>(opcode)];
}

Result<Value> EvalOp(OpContext& cx) {
  cx.CheckElementTypes();
  if (cx.refusal()) return *cx.refusal();
  Result<Value> value = EvalRuleOf(cx.opcode)(cx);
  if (cx.refusal()) return *cx.refusal();
  if (!value.ok() || !value->is_array() || !cx.module.shapes.is_array(cx.shape())) return value;
  if (!IsOtherPrecision(value->array().type(), cx.type())) return value;
  return Value(Converted(cx, value->array(), cx.type()));
}

// Every opcode is in the list, in one of its three forms.
#define HALO_EVAL(name, rule) +1
#define HALO_EVAL_CONTROL(name) +1
#define HALO_EVAL_COLLECTIVE(name) +1
static_assert(static_cast<size_t>(Opcode::kUnknown) == 0
#include "halo/eval/context/eval_rules.def"
);

}  // namespace halo

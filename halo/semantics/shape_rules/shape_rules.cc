// The table of shape rules, and the comparison of inferred with declared shapes.
#include "halo/semantics/shape_rules/shape_rules.h"

#include <array>

#include "halo/ir/op_properties.h"

namespace halo {
namespace {

using ShapeRule = Inferred (*)(RuleContext&);

template <Opcode opcode>
struct RuleOf;  // defined for every row of shape_rules.def
#define HALO_SHAPE_RULE(opcode, rule)               \
  template <>                                       \
  struct RuleOf<Opcode::k##opcode> {                \
    static constexpr ShapeRule kRule = Infer##rule; \
  };
#include "halo/semantics/shape_rules/shape_rules.def"

constexpr auto kRules = std::to_array<ShapeRule>({
#define HALO_OP(name, text, operands, traits, attrs) RuleOf<Opcode::k##name>::kRule,
#include "halo/ir/ops.def"
});

// Records the first float type below `shape` in `seen`. Returns false if another float type than
// `seen` is found.
bool AddFloats(const ShapeTable& shapes, ShapeId shape, std::optional<ElementType>& seen) {
  if (shapes.is_tuple(shape)) {
    for (const ShapeId each : shapes.elements(shape)) {
      if (!AddFloats(shapes, each, seen)) return false;
    }
    return true;
  }
  const ElementType type = shapes.type(shape);
  if (!IsFloat(type)) return true;
  if (!seen) seen = type;
  return *seen == type;
}

void FindMixedPrecision(RuleContext& op) {
  if (op.facts().tiled_layouts() || HasFlag(op.opcode(), kMixesPrecision)) return;
  std::optional<ElementType> seen;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (AddFloats(op.shapes(), op.operand(i), seen)) continue;
    op.Report(Rule::kMixedPrecision, op.opcode_text(), " has operands of ", TextOf(*seen), " and ",
              op.OperandText(i));
    return;
  }
}

// Whether a rule holds for element types of a later XLA is unknown.
bool HasUnknownShape(const RuleContext& op) {
  bool unknown = op.shapes().has_unknown(op.shape());
  for (size_t i = 0; i < op.operand_count(); ++i) {
    unknown = unknown || op.shapes().has_unknown(op.operand(i));
  }
  return unknown;
}

}  // namespace

void CheckShapeOf(RuleContext& op, bool warnings) {
  const Opcode opcode = op.opcode();
  if (HasUnknownShape(op)) return;
  // Sparse dots had additional operands and other sizes; HLO has since dropped them.
  if (opcode == Opcode::kUnknown || op.has(AttrKey::k_sparsity)) return;
  const int arity = InfoOf(opcode).operands;
  if (arity >= 0 && op.operand_count() != static_cast<size_t>(arity)) {
    op.Report(Rule::kOperandCount, op.opcode_text(), " takes ", arity, " operands, not ",
              op.operand_count());
    return;
  }
  const Inferred inferred = kRules[static_cast<size_t>(opcode)](op);
  if (!inferred) return;
  const Precision precision =
      HasFlag(opcode, kKeepsPrecision) ? Precision::kExact : Precision::kAnyFloat;
  if (SameShape(op.shapes(), op.shape(), *inferred, precision)) {
    if (warnings) FindMixedPrecision(op);
    return;
  }
  op.Report(Rule::kShapeMismatch, "declared ", op.Text(op.shape()), ", but ", op.opcode_text(),
            " gives ", TextOf(op.shapes(), *inferred));
}

}  // namespace halo

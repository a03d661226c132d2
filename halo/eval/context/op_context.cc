// Access to operands and results by number, which notes what does not exist.
#include "halo/eval/context/op_context.h"

#include "halo/eval/context/call_errors.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

size_t OpContext::parts() const {
  return module.shapes.is_tuple(result) ? module.shapes.elements(result).size() : 1;
}

ShapeId OpContext::shape(size_t part) const {
  if (part < parts()) {
    return module.shapes.is_tuple(result) ? module.shapes.elements(result)[part] : result;
  }
  Refuse("needs a result " + std::to_string(part) + ", but declares " +
         module.shapes.Text(result, false));
  return result;
}

ShapeId OpContext::operand_shape(size_t i) const {
  const std::span<const InstId> ids = module.operands_of(inst);
  if (i < ids.size()) return module.inst(ids[i]).shape;
  NoOperand(i);
  return result;
}

void OpContext::CheckElementTypes() const {
  bool is_unknown = module.shapes.has_unknown(result);
  for (const InstId operand : module.operands_of(inst)) {
    is_unknown = is_unknown || module.shapes.has_unknown(module.inst(operand).shape);
  }
  if (is_unknown) Refuse("an element type of its result or operands is unknown");
}

Value& OpContext::NoOperand(size_t i) const {
  Refuse("needs an operand " + std::to_string(i) + ", but has " + std::to_string(operands.size()));
  nothing_ = Value();
  return nothing_;
}

const Array& OpContext::NoArray(size_t i) const {
  if (i < operands.size()) Refuse("operand " + std::to_string(i) + " is no array");
  nothing_ = Value();
  return nothing_.array();
}

void OpContext::Refuse(const std::string& what) const {
  if (refusal_) return;
  refusal_ =
      opcode == Opcode::kCustomCall ? BadCall(*this, what) : Fail(diag::kCannotEvaluate, what);
}

}  // namespace halo

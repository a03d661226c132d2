// Shapes of operations that work element by element, and of conversions between element types.
#include <algorithm>
#include <vector>

#include "halo/ir/op_properties.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

bool Accepts(OperandTypes takes, ElementType type) {
  const ElementClass klass = InfoOf(type).klass;
  const bool floats = klass == ElementClass::kFloat;
  const bool complex = klass == ElementClass::kComplex;
  const bool integer = IsIntegerType(type);
  const bool pred = klass == ElementClass::kPred;
  switch (takes) {
    case OperandTypes::kAny: return true;
    case OperandTypes::kFloats: return floats;
    case OperandTypes::kFloatsComplex: return floats || complex;
    case OperandTypes::kNumbers: return integer || floats || complex;
    case OperandTypes::kIntegers: return integer;
    case OperandTypes::kSignedComplex: return floats || complex || klass == ElementClass::kSigned;
    case OperandTypes::kIntegersPred: return integer || pred;
    case OperandTypes::kNoPred: return !pred;
  }
  return true;
}

std::string_view Describe(OperandTypes takes) {
  switch (takes) {
    case OperandTypes::kAny: return "any type";
    case OperandTypes::kFloats: return "floats";
    case OperandTypes::kFloatsComplex: return "floats and complex numbers";
    case OperandTypes::kNumbers: return "numbers";
    case OperandTypes::kIntegers: return "integers";
    case OperandTypes::kSignedComplex: return "signed integers, floats and complex numbers";
    case OperandTypes::kIntegersPred: return "integers and pred";
    case OperandTypes::kNoPred: return "numbers, not pred";
  }
  return "";
}

bool NeedTypes(RuleContext& op) {
  const OperandTypes takes = PropertiesOf(op.opcode()).types;
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (Accepts(takes, op.type(i))) continue;
    op.Report(Rule::kElementType, op.opcode_text(), " takes ", Describe(takes), "; operand ", i,
              " is ", op.OperandText(i));
    return false;
  }
  return true;
}

// No operand is broadcast: all have the result's dimensions.
bool NeedSameDims(RuleContext& op) {
  for (size_t i = 0; i < op.operand_count(); ++i) {
    if (SameShape(op.shapes(), op.operand(i), op.shape(), Precision::kAnyType)) continue;
    op.Report(Rule::kElementwiseDims, "operand ", i, " is ", op.OperandText(i), ", the result ",
              op.Text(op.shape()));
    return false;
  }
  return true;
}

bool NeedSameTypes(RuleContext& op, size_t first, size_t second) {
  if (SameType(op.type(first), op.type(second), Precision::kAnyFloat)) return true;
  op.Report(Rule::kOperandTypes, "operand ", first, " is ", op.OperandText(first), ", operand ",
            second, " ", op.OperandText(second));
  return false;
}

ShapeValue WithType(const RuleContext& op, size_t operand, ElementType type) {
  return ShapeValue::Array(type, op.dims(operand));
}

// How values of a type compare when nothing is said.
std::string_view DefaultComparison(ElementType type) {
  switch (InfoOf(type).klass) {
    case ElementClass::kFloat:
    case ElementClass::kComplex: return "FLOAT";
    case ElementClass::kSigned: return "SIGNED";
    default: return "UNSIGNED";
  }
}

bool NeedComparison(RuleContext& op) {
  const std::string_view type = op.text_or(AttrKey::k_type);
  if (type.empty()) return true;
  const std::string_view usual = DefaultComparison(op.type(1));
  if (type == usual || (type == "TOTALORDER" && IsFloat(op.type(1)))) return true;
  op.Report(Rule::kComparisonType, "type=", type, " does not compare ", op.OperandText(1));
  return false;
}

}  // namespace

Inferred InferUnary(RuleContext& op) {
  if (!op.NeedArray(0) || !NeedTypes(op) || !NeedSameDims(op)) return std::nullopt;
  const ElementType type = op.type(0);
  switch (PropertiesOf(op.opcode()).result) {
    case ResultType::kComponent:
    case ResultType::kMagnitude:
      if (IsComplex(type)) return WithType(op, 0, ComponentType(type));
      break;
    case ResultType::kPred: return WithType(op, 0, ElementType::kPred);
    default: break;
  }
  return ShapeValue::Same(op.operand(0));
}

Inferred InferCopy(RuleContext& op) {
  if (!NeedSameDims(op)) return std::nullopt;
  return ShapeValue::Same(op.operand(0));
}

Inferred InferBinary(RuleContext& op) {
  if (!op.NeedArrays() || !NeedTypes(op) || !NeedSameTypes(op, 0, 1)) return std::nullopt;
  if (!NeedSameDims(op)) return std::nullopt;
  return ShapeValue::Same(op.operand(0));
}

Inferred InferComplex(RuleContext& op) {
  if (!InferBinary(op)) return std::nullopt;
  const ElementType type = op.type(0);
  if (type != op.type(1) || (type != ElementType::kF32 && type != ElementType::kF64)) {
    return op.Fail(Rule::kElementType, "complex takes two f32 or two f64 parts, not ",
                   op.OperandText(0), " and ", op.OperandText(1));
  }
  return WithType(op, 0, type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

Inferred InferCompare(RuleContext& op) {
  if (!InferBinary(op) || !NeedComparison(op)) return std::nullopt;
  return WithType(op, 0, ElementType::kPred);
}

Inferred InferClamp(RuleContext& op) {
  if (!op.NeedArrays() || !NeedSameTypes(op, 0, 1) || !NeedSameTypes(op, 2, 1)) return std::nullopt;
  for (const size_t bound : {size_t{0}, size_t{2}}) {
    if (op.dims(bound).empty() || SameDims(op.dims(bound), op.dims(1))) continue;
    return op.Fail(Rule::kClampBound, "bound ", op.OperandText(bound),
                   " is neither a scalar nor of ", op.OperandText(1), "'s dimensions");
  }
  return ShapeValue::Same(op.operand(1));
}

Inferred InferSelect(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  if (!SameShape(op.shapes(), op.operand(1), op.operand(2), Precision::kAnyFloat)) {
    return op.Fail(Rule::kSelectOperands, "select chooses between ", op.OperandText(1), " and ",
                   op.OperandText(2));
  }
  if (op.type(0) != ElementType::kPred ||
      (!op.dims(0).empty() && !SameDims(op.dims(0), op.dims(1)))) {
    return op.Fail(Rule::kSelectPredicate, "predicate ", op.OperandText(0),
                   " cannot choose between ", op.OperandText(1), " values");
  }
  return ShapeValue::Same(op.operand(1));
}

Inferred InferConvert(RuleContext& op) {
  if (!op.NeedArray(0)) return std::nullopt;
  if (!op.shapes().is_array(op.shape())) {
    return op.Fail(Rule::kShapeMismatch, "convert makes ", op.Text(op.shape()), " of ",
                   op.OperandText(0));
  }
  if (!NeedSameDims(op)) return std::nullopt;
  return WithType(op, 0, op.shapes().type(op.shape()));
}

Inferred InferBitcastConvert(RuleContext& op) {
  if (!op.NeedArray(0) || !op.shapes().is_array(op.shape())) {
    return op.Fail(Rule::kShapeMismatch, "bitcast-convert makes ", op.Text(op.shape()), " of ",
                   op.OperandText(0));
  }
  const ElementType from = op.type(0);
  const ElementType to = op.shapes().type(op.shape());
  const int from_bits = InfoOf(from).bits;
  const int to_bits = InfoOf(to).bits;
  const int ratio = std::max(from_bits, to_bits) / std::min(from_bits, to_bits);
  if (IsComplex(from) != IsComplex(to) ||
      std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return op.Fail(Rule::kBitcastConvertTypes, "bits of ", TextOf(from), " cannot be read as ",
                   TextOf(to));
  }
  std::vector<int64_t> dims(op.dims(0).begin(), op.dims(0).end());
  if (from_bits > to_bits) dims.push_back(ratio);
  if (from_bits < to_bits) {
    if (dims.empty() || dims.back() != ratio) {
      return op.Fail(Rule::kBitcastConvertRatio, "the last dimension of ", op.OperandText(0),
                     " must be ", ratio, " to make one ", TextOf(to), " of it");
    }
    dims.pop_back();
  }
  return ShapeValue::Array(to, dims);
}

Inferred InferStochasticConvert(RuleContext& op) {
  if (!op.NeedArrays()) return std::nullopt;
  const ElementType from = op.type(0);
  const ElementType random = op.type(1);
  if (!IsFloat(from) || InfoOf(random).klass != ElementClass::kUnsigned ||
      InfoOf(from).bits != InfoOf(random).bits || !SameDims(op.dims(0), op.dims(1))) {
    return op.Fail(Rule::kStochasticConvertOperands,
                   "stochastic-convert takes floats and as many "
                   "random bits as unsigned integers, not ",
                   op.OperandText(0), " and ", op.OperandText(1));
  }
  if (!op.shapes().is_array(op.shape())) return ShapeValue::Same(op.operand(0));
  return WithType(op, 0, op.shapes().type(op.shape()));
}

Inferred InferReducePrecision(RuleContext& op) {
  if (!op.NeedArray(0) || !NeedTypes(op) || !NeedSameDims(op)) return std::nullopt;
  const int64_t exponent = op.int_or(AttrKey::k_exponent_bits, 1);
  const int64_t mantissa = op.int_or(AttrKey::k_mantissa_bits, 0);
  if (exponent < 1 || mantissa < 0) {
    return op.Fail(Rule::kReducePrecisionBits, "exponent_bits=", exponent,
                   ", mantissa_bits=", mantissa);
  }
  return ShapeValue::Same(op.operand(0));
}

}  // namespace halo

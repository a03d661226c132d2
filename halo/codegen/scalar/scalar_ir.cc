// Selects the kind of number an op works on and converts its operands and result to that kind. The
// ops themselves are in scalar_integer.cc, scalar_float.cc, scalar_complex.cc and scalar_math.cc.
#include "halo/codegen/scalar/scalar_ir.h"

#include <algorithm>
#include <vector>

#include "halo/codegen/scalar/scalar_parts.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

std::vector<ElementType> TypesOfOperands(const Module& module, const Inst& inst) {
  std::vector<ElementType> types;
  for (const InstId operand : module.operands_of(inst)) {
    types.push_back(module.shapes.type(module.inst(operand).shape));
  }
  return types;
}

LaneOp OpOf(const Module& module, const Inst& inst, std::span<const ElementType> types) {
  return LaneOpOf(module, inst, inst.opcode, module.shapes.type(inst.shape), types[0],
                  types[types.size() > 1 ? 1 : 0]);
}

// The kind of number that the op itself produces.
LaneKind ResultKind(const LaneOp& op) {
  const LaneKind kind = LaneKindOf(op.type);
  switch (PropertiesOf(op.opcode).result) {
    case ResultType::kFirstOperand:
    case ResultType::kSecondOperand: return kind;
    case ResultType::kComponent:
    case ResultType::kMagnitude: return kind == LaneKind::kComplex ? LaneKind::kFloat : kind;
    case ResultType::kPred: return LaneKind::kUint;
    case ResultType::kComplex: return LaneKind::kComplex;
    case ResultType::kDeclared: return LaneKindOf(op.result);
  }
  return kind;
}

// f8e8m0fnu has no zero: a value that would underflow in f32 must not become zero before it is
// rounded.
bool NeedsDouble(ElementType type) {
  return type == ElementType::kF64 || type == ElementType::kF8E8M0FNU;
}

// Operands of one kind but of different types are computed in the widest type of that kind.
ElementType CommonType(const LaneOp& op, std::span<const ElementType> types) {
  const bool same = std::ranges::all_of(types, [&](ElementType type) { return type == types[0]; });
  if (same && types[0] != ElementType::kF8E8M0FNU) return types[0];
  switch (LaneKindOf(op.type)) {
    case LaneKind::kInt: return ElementType::kS64;
    case LaneKind::kUint: return ElementType::kU64;
    case LaneKind::kFloat:
      return std::ranges::any_of(types, NeedsDouble) ? ElementType::kF64 : ElementType::kF32;
    case LaneKind::kComplex: return ElementType::kC128;
  }
  return types[0];
}

// Ops whose result has the kind of their operands, so that a wider result type widens the
// computation.
bool KeepsType(const LaneOp& op) {
  const ResultType result = PropertiesOf(op.opcode).result;
  return result != ResultType::kPred && result != ResultType::kDeclared &&
         ResultKind(op) == LaneKindOf(op.type);
}

llvm::CmpInst::Predicate FloatPredicate(Comparison comparison) {
  switch (comparison) {
    case Comparison::kEq: return llvm::CmpInst::FCMP_OEQ;
    case Comparison::kNe: return llvm::CmpInst::FCMP_UNE;
    case Comparison::kGe: return llvm::CmpInst::FCMP_OGE;
    case Comparison::kGt: return llvm::CmpInst::FCMP_OGT;
    case Comparison::kLe: return llvm::CmpInst::FCMP_OLE;
    case Comparison::kLt: return llvm::CmpInst::FCMP_OLT;
  }
  return llvm::CmpInst::FCMP_OEQ;
}

llvm::CmpInst::Predicate IntegerPredicate(Comparison comparison, bool is_signed) {
  switch (comparison) {
    case Comparison::kEq: return llvm::CmpInst::ICMP_EQ;
    case Comparison::kNe: return llvm::CmpInst::ICMP_NE;
    case Comparison::kGe: return is_signed ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE;
    case Comparison::kGt: return is_signed ? llvm::CmpInst::ICMP_SGT : llvm::CmpInst::ICMP_UGT;
    case Comparison::kLe: return is_signed ? llvm::CmpInst::ICMP_SLE : llvm::CmpInst::ICMP_ULE;
    case Comparison::kLt: return is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
  }
  return llvm::CmpInst::ICMP_EQ;
}

// Maps -NaN < -inf < ... < -0 < +0 < ... < inf < NaN to ordered signed integers.
llvm::Value* TotalOrderKey(IrBuilder& b, llvm::Value* x) {
  const unsigned width = x->getType()->getScalarSizeInBits();
  llvm::Value* bits = b.CreateBitCast(x, b.getIntNTy(width));
  return b.CreateXor(bits, b.CreateLShr(b.CreateAShr(bits, width - 1), 1));
}

llvm::Value* Compare(IrBuilder& b, const LaneOp& op, IrValues in) {
  if (in[0]->getType()->isIntegerTy()) {
    return b.CreateICmp(IntegerPredicate(op.comparison, IsSigned(op.type)), in[0], in[1]);
  }
  if (!op.total_order) return b.CreateFCmp(FloatPredicate(op.comparison), in[0], in[1]);
  return b.CreateICmp(IntegerPredicate(op.comparison, true), TotalOrderKey(b, in[0]),
                      TotalOrderKey(b, in[1]));
}

llvm::Value* Choose(IrBuilder& b, llvm::Value* which, llvm::Value* yes, llvm::Value* no) {
  if (!yes->getType()->isStructTy()) return b.CreateSelect(which, yes, no);
  llvm::Value* value = yes;
  for (const unsigned part : {0U, 1U}) {
    value = b.CreateInsertValue(
        value,
        b.CreateSelect(which, b.CreateExtractValue(yes, part), b.CreateExtractValue(no, part)),
        part);
  }
  return value;
}

// Treats pred as a one-bit integer, where any nonzero result is true.
llvm::Value* PredOp(IrBuilder& b, const LaneOp& op, IrValues in) {
  switch (op.opcode) {
    case Opcode::kAnd:
    case Opcode::kMinimum:
    case Opcode::kMultiply: return b.CreateAnd(in[0], in[1]);
    case Opcode::kOr:
    case Opcode::kMaximum:
    case Opcode::kAdd: return b.CreateOr(in[0], in[1]);
    case Opcode::kXor: return b.CreateXor(in[0], in[1]);
    case Opcode::kNot: return b.CreateNot(in[0]);
    default: break;
  }
  llvm::SmallVector<llvm::Value*, 3> bytes;
  for (llvm::Value* value : in) bytes.push_back(b.CreateZExt(value, b.getInt8Ty()));
  return b.CreateIsNotNull(EmitIntegerOp(b, op.opcode, false, 1, bytes));
}

llvm::Value* OpOnKind(IrBuilder& b, const LaneOp& op, ElementType common, IrValues in) {
  switch (op.opcode) {
    case Opcode::kCopy: return in[0];
    case Opcode::kClamp: {
      const bool is_signed = IsSigned(common);
      return EmitSmaller(b, EmitLarger(b, in[1], in[0], is_signed), in[2], is_signed);
    }
    case Opcode::kCompare:
      if (LaneKindOf(op.type) != LaneKind::kComplex) return Compare(b, op, in);
      break;
    default: break;
  }
  if (common == ElementType::kPred) return PredOp(b, op, in);
  switch (LaneKindOf(common)) {
    case LaneKind::kInt:
    case LaneKind::kUint:
      return EmitIntegerOp(b, op.opcode, IsSigned(common), CountedBits(op.type), in);
    case LaneKind::kFloat: return EmitFloatOp(b, op, in);
    case LaneKind::kComplex: return EmitComplexOp(b, op, in);
  }
  return nullptr;
}

llvm::Value* MakeComplex(IrBuilder& b, ElementType type, llvm::Value* real, llvm::Value* imag) {
  const ElementType part = type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  llvm::Value* value = llvm::PoisonValue::get(ComputedType(b.getContext(), type));
  value = b.CreateInsertValue(value, ToFloatType(b, part, real), 0);
  return b.CreateInsertValue(value, ToFloatType(b, part, imag), 1);
}

// Converts from the type in which the op was computed to the type of the instruction.
llvm::Value* Finish(IrBuilder& b, const LaneOp& op, ElementType common, llvm::Value* value) {
  if (value->getType()->isFloatTy() || value->getType()->isDoubleTy()) {
    return ToFloatType(b, op.result, value);
  }
  if (op.opcode == Opcode::kCompare || op.opcode == Opcode::kIsFinite) {
    return EmitConvert(b, ElementType::kPred, op.result, value);
  }
  if (common == op.result) return Round(b, op.result, value);
  return EmitConvert(b, common, op.result, value);
}

// Reinterprets the stored bits as another type of the same width.
llvm::Value* Reinterpret(IrBuilder& b, ElementType from, ElementType to, llvm::Value* value) {
  if (from == to) return value;
  const auto bits = static_cast<unsigned>(InfoOf(from).bits);
  llvm::Value* stored = Narrow(b, from, value);
  llvm::Type* whole = b.getIntNTy(std::max(bits, 8U));
  if (stored->getType()->isStructTy()) {
    llvm::Type* half = b.getIntNTy(bits / 2);
    const auto part = [&](unsigned i) {
      return b.CreateZExt(b.CreateBitCast(b.CreateExtractValue(stored, i), half), whole);
    };
    stored = b.CreateOr(part(0), b.CreateShl(part(1), bits / 2));
  } else {
    stored = b.CreateBitCast(stored, whole);
  }
  if (bits < 8) stored = b.CreateAnd(stored, llvm::ConstantInt::get(whole, (1U << bits) - 1));
  llvm::Type* target = StoredType(b.getContext(), to);
  auto* parts = llvm::dyn_cast<llvm::StructType>(target);
  if (parts == nullptr) return Widen(b, to, b.CreateBitCast(stored, target));
  llvm::Type* half = b.getIntNTy(bits / 2);
  llvm::Value* joined = llvm::PoisonValue::get(parts);
  for (const unsigned i : {0U, 1U}) {
    llvm::Value* part = b.CreateTrunc(b.CreateLShr(stored, i * (bits / 2)), half);
    joined = b.CreateInsertValue(joined, b.CreateBitCast(part, parts->getElementType(i)), i);
  }
  return joined;
}

}  // namespace

llvm::Type* StoredType(llvm::LLVMContext& context, ElementType type) {
  switch (type) {
    case ElementType::kF32: return llvm::Type::getFloatTy(context);
    case ElementType::kF64: return llvm::Type::getDoubleTy(context);
    case ElementType::kC64:
    case ElementType::kC128: return ComputedType(context, type);
    default: return llvm::Type::getIntNTy(context, static_cast<unsigned>(StoredBytes(type)) * 8);
  }
}

llvm::Type* ComputedType(llvm::LLVMContext& context, ElementType type) {
  llvm::Type* single = llvm::Type::getFloatTy(context);
  llvm::Type* twice = llvm::Type::getDoubleTy(context);
  switch (InfoOf(type).klass) {
    case ElementClass::kPred: return llvm::Type::getInt1Ty(context);
    case ElementClass::kFloat: return type == ElementType::kF64 ? twice : single;
    case ElementClass::kComplex:
      return type == ElementType::kC64 ? llvm::StructType::get(single, single)
                                       : llvm::StructType::get(twice, twice);
    default: return StoredType(context, type);
  }
}

llvm::Value* EmitLarger(IrBuilder& b, llvm::Value* x, llvm::Value* y, bool is_signed) {
  if (x->getType()->isIntegerTy()) {
    return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, x, y);
  }
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::maximum, x, y);
}

llvm::Value* EmitSmaller(IrBuilder& b, llvm::Value* x, llvm::Value* y, bool is_signed) {
  if (x->getType()->isIntegerTy()) {
    return b.CreateBinaryIntrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, x, y);
  }
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::minimum, x, y);
}

bool IsScalarOp(const Module& module, const Inst& inst) {
  if (!HasTrait(inst.opcode, kElementwise) || inst.operand_count == 0) return false;
  const ElementType result = module.shapes.type(inst.shape);
  const std::vector<ElementType> types = TypesOfOperands(module, inst);
  if (!IsArrayType(result) || !std::ranges::all_of(types, IsArrayType)) return false;
  if (inst.opcode == Opcode::kBitcastConvert) return InfoOf(types[0]).bits == InfoOf(result).bits;
  const LaneOp op = OpOf(module, inst, types);
  if (FindLaneKernel(op) == nullptr || ResultKind(op) != LaneKindOf(result)) return false;
  if (op.opcode == Opcode::kReducePrecision && (op.exponent_bits < 1 || op.mantissa_bits < 0)) {
    return false;
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (LaneKindOf(types[i]) != OperandKind(op, i)) return false;
  }
  return true;
}

llvm::Value* EmitScalarOp(llvm::IRBuilderBase& b, const Module& module, const Inst& inst,
                          std::span<llvm::Value* const> operands) {
  std::vector<ElementType> types = TypesOfOperands(module, inst);
  const LaneOp op = OpOf(module, inst, types);
  if (op.opcode == Opcode::kConvert) return EmitConvert(b, types[0], op.result, operands[0]);
  if (op.opcode == Opcode::kBitcastConvert) {
    return Reinterpret(b, types[0], op.result, operands[0]);
  }
  if (op.opcode == Opcode::kComplex) return MakeComplex(b, op.result, operands[0], operands[1]);
  if (op.opcode == Opcode::kSelect) {
    return Choose(b, EmitConvert(b, types[0], ElementType::kPred, operands[0]),
                  EmitConvert(b, types[1], op.result, operands[1]),
                  EmitConvert(b, types[2], op.result, operands[2]));
  }
  if (op.opcode == Opcode::kStochasticConvert) {
    return EmitConvert(b, ElementType::kF64, op.result,
                       EmitFloatOp(b, op, {operands[0], operands[1]}));
  }
  if (KeepsType(op)) types.push_back(op.result);
  // A magnitude or a part that is declared wider than the parts of its operand.
  const bool is_complex = LaneKindOf(op.type) == LaneKind::kComplex;
  if (is_complex && op.result == ElementType::kF64) types.push_back(ElementType::kC128);
  const ElementType common = CommonType(op, types);
  llvm::SmallVector<llvm::Value*, 3> values;
  for (size_t i = 0; i < operands.size(); ++i) {
    values.push_back(EmitConvert(b, types[i], common, operands[i]));
  }
  return Finish(b, op, common, OpOnKind(b, op, common, values));
}

}  // namespace halo

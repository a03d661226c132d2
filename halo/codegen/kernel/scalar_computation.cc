// Emits scalar computations and reductions that use them.
#include "halo/codegen/kernel/scalar_computation.h"

#include <limits>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/scalar/scalar_constant.h"
#include "halo/codegen/scalar/scalar_ir.h"
#include "halo/ir/op_properties.h"

namespace halo {
namespace {

constexpr int kMaxScalarDepth = 16;
constexpr uint32_t kMaxInstructions = 512;
constexpr uint32_t kMaxEmitted = 4096;  // with those of calls, at each call

bool IsScalarShape(const Module& module, ShapeId shape) {
  return module.shapes.is_array(shape) && module.shapes.dims(shape).empty();
}

class Inliner {
 public:
  Inliner(llvm::IRBuilderBase& b, const Module& module) : b_(b), module_(module) {}

  bool Run(CompId id, std::span<llvm::Value* const> arguments, Values& results, int depth) {
    if (depth > kMaxScalarDepth || !id.valid() || !module_.comp(id).defined) return false;
    const Computation& comp = module_.comp(id);
    if (comp.count > kMaxInstructions || !comp.root.valid()) return false;
    emitted_ += comp.count;
    if (emitted_ > kMaxEmitted) return false;
    std::vector<Values> values(comp.count);
    for (uint32_t i = 0; i < comp.count; ++i) {
      Values operands;
      std::vector<size_t> begins;
      const Inst& inst = module_.inst(InstId(comp.first + i));
      for (const InstId operand : module_.operands_of(inst)) {
        if (operand.value < comp.first || operand.value >= comp.first + i) return false;
        begins.push_back(operands.size());
        const Values& parts = values[operand.value - comp.first];
        operands.insert(operands.end(), parts.begin(), parts.end());
      }
      if (!RunInst(inst, arguments, operands, values[i], depth)) return false;
    }
    results = values[comp.root.value - comp.first];
    return true;
  }

 private:
  bool RunInst(const Inst& inst, std::span<llvm::Value* const> arguments, const Values& operands,
               Values& result, int depth) {
    switch (FlowOf(inst.opcode)) {
      case OpFlow::kParameter:
        if (inst.extra >= arguments.size() || !IsScalarShape(module_, inst.shape)) return false;
        result = {AsParameter(inst, arguments[inst.extra])};
        return true;
      case OpFlow::kConstant: {
        if (!IsScalarShape(module_, inst.shape)) return false;
        llvm::Value* value = ScalarConstant(b_, module_, LiteralId(inst.extra));
        if (value == nullptr) return false;
        result = {value};
        return true;
      }
      case OpFlow::kTuple: result = operands; return true;
      case OpFlow::kElement: {
        const auto number = static_cast<size_t>(module_.IntOr(inst.attrs, AttrKey::k_index, 0));
        if (number >= operands.size() || !IsScalarShape(module_, inst.shape)) return false;
        result = {operands[number]};
        return true;
      }
      case OpFlow::kCall:
      case OpFlow::kFusion: {
        std::vector<CompId> called;
        module_.CalledBy(inst, called);
        return called.size() == 1 && Run(called[0], operands, result, depth + 1);
      }
      default:
        if (!IsScalarShape(module_, inst.shape)) return false;
        if (inst.opcode == Opcode::kBitcast && operands.size() == 1) {
          result = {Reinterpret(module_.inst(module_.operands_of(inst)[0]), inst, operands[0])};
          return result[0] != nullptr;
        }
        // A reshaped, transposed or broadcast scalar is still the same scalar.
        if (HasFlag(inst.opcode, kRelayouts) || inst.opcode == Opcode::kBroadcast) {
          result = operands;
          return operands.size() == 1 &&
                 module_.shapes.type(inst.shape) ==
                     module_.shapes.type(module_.inst(module_.operands_of(inst)[0]).shape);
        }
        if (!IsScalarOp(module_, inst)) return false;
        result = {EmitScalarOp(b_, module_, inst, operands)};
        return true;
    }
  }

  // Programs of mixed precision may pass an f64 for a narrower parameter, and the reverse.
  llvm::Value* AsParameter(const Inst& parameter, llvm::Value* argument) {
    llvm::Type* type = ComputedType(b_.getContext(), module_.shapes.type(parameter.shape));
    if (!type->isFloatingPointTy() || !argument->getType()->isFPOrFPVectorTy()) return argument;
    return b_.CreateFPCast(argument, argument->getType()->getWithNewType(type));
  }

  // The bits of a scalar as another type of the same width; null if the widths differ.
  llvm::Value* Reinterpret(const Inst& from, const Inst& to, llvm::Value* computed) {
    const ElementType old_type = module_.shapes.type(from.shape);
    const ElementType new_type = module_.shapes.type(to.shape);
    if (old_type == new_type) return computed;
    const ElementTypeInfo& old_info = InfoOf(old_type);
    const ElementTypeInfo& new_info = InfoOf(new_type);
    if (!IsScalarShape(module_, from.shape) || old_info.bits != new_info.bits ||
        old_info.bits < 8 || old_info.klass == ElementClass::kComplex ||
        new_info.klass == ElementClass::kComplex) {
      return nullptr;
    }
    llvm::Value* bits =
        b_.CreateBitCast(Narrow(b_, old_type, computed), StoredType(b_.getContext(), new_type));
    return Widen(b_, new_type, bits);
  }

  llvm::IRBuilderBase& b_;
  const Module& module_;
  uint32_t emitted_ = 0;
};

// The opcode if the computation is op(p0, p1) or op(p1, p0).
Opcode SimpleBinary(const Module& module, CompId comp) {
  const Inst& root = module.inst(module.comp(comp).root);
  const std::span<const InstId> operands = module.operands_of(root);
  if (operands.size() != 2 || !IsScalarShape(module, root.shape)) return Opcode::kUnknown;
  const Inst& left = module.inst(operands[0]);
  const Inst& right = module.inst(operands[1]);
  if (left.opcode != Opcode::kParameter || right.opcode != Opcode::kParameter) {
    return Opcode::kUnknown;
  }
  const bool both = (left.extra == 0 && right.extra == 1) || (left.extra == 1 && right.extra == 0);
  return both ? root.opcode : Opcode::kUnknown;
}

bool IsRounded(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits < 32;
}

bool MayReorder(Opcode opcode, ElementType type) {
  switch (PropertiesOf(opcode).fold) {
    case FoldKind::kSum:
    case FoldKind::kProduct: return !IsRounded(type);
    case FoldKind::kMax:
    case FoldKind::kMin: return InfoOf(type).klass != ElementClass::kComplex;
    case FoldKind::kAnd:
    case FoldKind::kOr:
    case FoldKind::kXor: return true;
    case FoldKind::kNone: return false;
  }
  return false;
}

// The type in which a sum of such values is accumulated. Sums of complex numbers are not
// vectorized, so all their elements are added in sequence and need a wider accumulator.
ElementType SumType(ElementType a, ElementType b) {
  if (InfoOf(a).klass == ElementClass::kComplex) return ElementType::kC128;
  const bool wide = InfoOf(a).bits == 64 || InfoOf(b).bits == 64;
  return wide ? ElementType::kF64 : ElementType::kF32;
}

}  // namespace

std::optional<Values> EmitComputation(llvm::IRBuilderBase& b, const Module& module, CompId comp,
                                      std::span<llvm::Value* const> arguments) {
  Values results;
  if (!Inliner(b, module).Run(comp, arguments, results, 0)) return std::nullopt;
  return results;
}

llvm::Value* ConvertComputed(llvm::IRBuilderBase& b, ElementType from, ElementType to,
                             llvm::Value* value, bool round) {
  if (from == to) return value;
  llvm::Type* target = ComputedType(b.getContext(), to);
  if (value->getType() != target) {
    if (InfoOf(from).klass != InfoOf(to).klass) return nullptr;
    if (InfoOf(from).klass == ElementClass::kComplex) {
      llvm::Value* result = llvm::PoisonValue::get(target);
      for (unsigned i = 0; i < 2; ++i) {
        llvm::Type* part = llvm::cast<llvm::StructType>(target)->getElementType(i);
        result =
            b.CreateInsertValue(result, b.CreateFPCast(b.CreateExtractValue(value, i), part), i);
      }
      return result;
    }
    if (InfoOf(from).klass != ElementClass::kFloat) return nullptr;
    value = b.CreateFPCast(value, target);
  } else if (InfoOf(from).klass != InfoOf(to).klass) {
    return nullptr;
  }
  return round ? Round(b, to, value) : value;
}

std::optional<Folder> Folder::Make(const Module& module, CompId comp,
                                   std::vector<ElementType> inputs,
                                   std::vector<ElementType> results) {
  Folder folder;
  if (!comp.valid() || inputs.empty() || inputs.size() != results.size()) return std::nullopt;
  folder.module_ = &module;
  folder.comp_ = comp;
  folder.inputs_ = std::move(inputs);
  folder.results_ = std::move(results);
  const Computation& computation = module.comp(comp);
  if (!computation.defined || !computation.root.valid()) return std::nullopt;
  for (uint32_t i = 0; i < computation.count; ++i) {
    const Inst& inst = module.inst(InstId(computation.first + i));
    if (inst.opcode != Opcode::kParameter) continue;
    if (!IsScalarShape(module, inst.shape)) return std::nullopt;
    if (inst.extra >= folder.parameters_.size()) folder.parameters_.resize(inst.extra + 1);
    folder.parameters_[inst.extra] = module.shapes.type(inst.shape);
  }
  if (folder.parameters_.size() != 2 * folder.count()) return std::nullopt;
  folder.types_.assign(folder.parameters_.begin(),
                       folder.parameters_.begin() + static_cast<int64_t>(folder.count()));
  const Inst& root = module.inst(computation.root);
  if (folder.count() == 1) {
    folder.simple_ = SimpleBinary(module, comp);
    const ElementClass klass = InfoOf(folder.inputs_[0]).klass;
    folder.is_sum_ = folder.simple_ == Opcode::kAdd &&
                     (klass == ElementClass::kFloat || klass == ElementClass::kComplex);
    folder.any_order_ =
        folder.is_sum_ || MayReorder(folder.simple_, module.shapes.type(root.shape));
    if (folder.is_sum_) folder.types_[0] = SumType(folder.inputs_[0], folder.results_[0]);
  }
  return folder;
}

void Folder::WidenSum() {
  if (is_sum_ && types_[0] == ElementType::kF32) types_[0] = ElementType::kF64;
}

void Folder::OrderAsIntegers() {
  if (!is_extreme()) return;
  as_integers_ = true;
  types_[0] = types_[0] == ElementType::kF64 ? ElementType::kS64 : ElementType::kS32;
}

// Negative floats are ordered by the complement of the bits below their sign.
llvm::Value* Folder::ToOrdered(llvm::IRBuilderBase& b, llvm::Value* value) const {
  const unsigned width = value->getType()->getScalarSizeInBits();
  const llvm::APInt last = simple_ == Opcode::kMaximum ? llvm::APInt::getSignedMaxValue(width)
                                                       : llvm::APInt::getSignedMinValue(width);
  llvm::Value* bits = b.CreateBitCast(value, b.getIntNTy(width));
  llvm::Value* below =
      b.CreateAnd(b.CreateAShr(bits, width - 1), b.getInt(llvm::APInt::getSignedMaxValue(width)));
  return b.CreateSelect(b.CreateFCmpUNO(value, value), b.getInt(last), b.CreateXor(bits, below));
}

llvm::Value* Folder::FromOrdered(llvm::IRBuilderBase& b, llvm::Value* ordered) {
  const unsigned width = ordered->getType()->getIntegerBitWidth();
  llvm::Value* below = b.CreateAnd(b.CreateAShr(ordered, width - 1),
                                   b.getInt(llvm::APInt::getSignedMaxValue(width)));
  return b.CreateBitCast(b.CreateXor(ordered, below),
                         width == 64 ? b.getDoubleTy() : b.getFloatTy());
}

Values Folder::Start(llvm::IRBuilderBase& b, const Values& initial,
                     std::span<const ElementType> initial_types) const {
  if (as_integers_) {
    llvm::Value* value = ConvertComputed(b, initial_types[0], parameters_[1], initial[0], false);
    return value == nullptr ? Values() : Values{ToOrdered(b, value)};
  }
  Values accumulators;
  for (size_t k = 0; k < count(); ++k) {
    accumulators.push_back(ConvertComputed(b, initial_types[k], types_[k], initial[k], false));
    if (accumulators.back() == nullptr) return {};
  }
  return accumulators;
}

llvm::Value* Folder::Sum(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const {
  llvm::IRBuilderBase::FastMathFlagGuard guard(b);
  llvm::FastMathFlags flags;
  flags.setAllowReassoc();
  b.setFastMathFlags(flags);
  if (!left->getType()->isStructTy()) return b.CreateFAdd(left, right);
  llvm::Value* sum = llvm::PoisonValue::get(left->getType());
  for (unsigned i = 0; i < 2; ++i) {
    sum = b.CreateInsertValue(
        sum, b.CreateFAdd(b.CreateExtractValue(left, i), b.CreateExtractValue(right, i)), i);
  }
  return sum;
}

// The maximum or minimum of two floats in a form the vectorizer recognizes: NaN if either is NaN,
// and -0 is less than 0.
llvm::Value* Folder::Extreme(llvm::IRBuilderBase& b, llvm::Value* left, llvm::Value* right) const {
  if (as_integers_) {
    return b.CreateBinaryIntrinsic(
        simple_ == Opcode::kMaximum ? llvm::Intrinsic::smax : llvm::Intrinsic::smin, left, right);
  }
  return b.CreateBinaryIntrinsic(
      simple_ == Opcode::kMaximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, left,
      right);
}

bool Folder::is_extreme() const {
  return (simple_ == Opcode::kMaximum || simple_ == Opcode::kMinimum) &&
         InfoOf(types_[0]).klass == ElementClass::kFloat &&
         InfoOf(parameters_[1]).klass == ElementClass::kFloat && types_[0] == parameters_[1];
}

Values Folder::Step(llvm::IRBuilderBase& b, const Values& accumulators,
                    const Values& elements) const {
  Values arguments = accumulators;
  for (size_t k = 0; k < count(); ++k) {
    const ElementType to = is_sum_ ? types_[0] : parameters_[count() + k];
    llvm::Value* element = ConvertComputed(b, inputs_[k], to, elements[k], false);
    if (element == nullptr) return {};
    arguments.push_back(element);
  }
  if (is_sum_) return {Sum(b, arguments[0], arguments[1])};
  if (as_integers_) return {Extreme(b, arguments[0], ToOrdered(b, arguments[1]))};
  if (is_extreme()) return {Extreme(b, arguments[0], arguments[1])};
  const std::optional<Values> folded = EmitComputation(b, *module_, comp_, arguments);
  return folded && folded->size() == count() ? *folded : Values();
}

Values Folder::Join(llvm::IRBuilderBase& b, const Values& left, const Values& right) const {
  if (is_sum_) return {Sum(b, left[0], right[0])};
  if (as_integers_ || is_extreme()) return {Extreme(b, left[0], right[0])};
  Values arguments = left;
  arguments.insert(arguments.end(), right.begin(), right.end());
  const std::optional<Values> folded = EmitComputation(b, *module_, comp_, arguments);
  return folded && folded->size() == count() ? *folded : Values();
}

Values Folder::Finish(llvm::IRBuilderBase& b, const Values& accumulators) const {
  Values results;
  for (size_t k = 0; k < count(); ++k) {
    llvm::Value* value = as_integers_ ? FromOrdered(b, accumulators[k]) : accumulators[k];
    const ElementType type = as_integers_ ? parameters_[1] : types_[k];
    results.push_back(ConvertComputed(b, type, results_[k], value, true));
    if (results.back() == nullptr) return {};
  }
  return results;
}

std::optional<Values> Folder::Neutral(llvm::IRBuilderBase& b) const {
  if (count() != 1 || !any_order_) return std::nullopt;
  llvm::Type* type = ComputedType(b.getContext(), types_[0]);
  const ElementTypeInfo& info = InfoOf(types_[0]);
  if (is_sum_ && info.klass == ElementClass::kFloat) {
    return Values{llvm::ConstantFP::getNegativeZero(type)};
  }
  if (info.klass == ElementClass::kComplex) {
    if (simple_ != Opcode::kAdd) return std::nullopt;
    llvm::Constant* zero = llvm::ConstantFP::getNegativeZero(type->getStructElementType(0));
    return Values{llvm::ConstantStruct::getAnon({zero, zero})};
  }
  const bool sign = info.klass == ElementClass::kSigned;
  const auto whole = [&](uint64_t bits) {
    return Values{llvm::ConstantInt::get(type, bits, sign)};
  };
  const uint64_t top = info.klass == ElementClass::kPred ? 0 : uint64_t{1} << (info.bits - 1);
  const uint64_t ones = info.klass == ElementClass::kPred ? 1
                        : info.bits >= 64                 ? ~uint64_t{0}
                                                          : (uint64_t{1} << info.bits) - 1;
  const uint64_t lowest = sign ? ~uint64_t{0} - (top - 1) : 0;
  const uint64_t highest = sign ? top - 1 : ones;
  const bool is_float = info.klass == ElementClass::kFloat;
  switch (PropertiesOf(simple_).fold) {
    case FoldKind::kSum: return is_float ? std::nullopt : std::optional(whole(0));
    case FoldKind::kProduct: return is_float ? Values{llvm::ConstantFP::get(type, 1.0)} : whole(1);
    case FoldKind::kMax:
      return is_float ? Values{llvm::ConstantFP::getInfinity(type, true)} : whole(lowest);
    case FoldKind::kMin:
      return is_float ? Values{llvm::ConstantFP::getInfinity(type, false)} : whole(highest);
    case FoldKind::kAnd: return whole(sign ? ~uint64_t{0} : ones);
    case FoldKind::kOr:
    case FoldKind::kXor: return whole(0);
    case FoldKind::kNone: break;
  }
  return std::nullopt;
}

}  // namespace halo

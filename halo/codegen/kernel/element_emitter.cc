// Emits values at an index: memory, constants and elementwise ops. Dispatches all other ops.
#include "halo/codegen/kernel/element_emitter.h"

#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/codegen/scalar/scalar_constant.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

// More than a fusion has instructions. A level takes about a kilobyte of stack, and a program that
// embeds the engine may compile on any thread.
constexpr int kMaxEmitDepth = 256;

}  // namespace

ElementEmitter::ElementEmitter(const KernelBody& body, llvm::IRBuilderBase& b, IndexSpace& space,
                               LoopMemory& memory, Values bases)
    : body_(body), b_(b), space_(space), memory_(memory), bases_(std::move(bases)), scopes_(1) {}

void ElementEmitter::Fail(std::string why) {
  if (!failed_) why_ = std::move(why);
  failed_ = true;
}

llvm::Value* ElementEmitter::Poison(InstId inst, uint32_t part) {
  return llvm::PoisonValue::get(ComputedType(b_.getContext(), body_.type(inst, part)));
}

llvm::Value* ElementEmitter::Load(ElementType type, llvm::Value* base, llvm::Value* offset,
                                  bool invariant) {
  llvm::Type* stored = StoredType(b_.getContext(), type);
  llvm::Value* at = b_.CreateInBoundsGEP(stored, base, offset);
  const auto load = [&](llvm::Type* loaded, llvm::Value* from, uint64_t align) {
    llvm::LoadInst* value = b_.CreateAlignedLoad(loaded, from, llvm::Align(align));
    memory_.Mark(value);
    if (invariant) {
      value->setMetadata(llvm::LLVMContext::MD_invariant_load,
                         llvm::MDNode::get(b_.getContext(), {}));
    }
    return value;
  };
  const uint64_t align = std::min<uint64_t>(StoredBytes(type), 8);
  if (!stored->isStructTy()) return Widen(b_, type, load(stored, at, align));
  // LLVM would split an access to a whole struct, but drop the marks that let it vectorize.
  llvm::Value* whole = llvm::PoisonValue::get(stored);
  for (unsigned part = 0; part < stored->getStructNumElements(); ++part) {
    llvm::Type* loaded = stored->getStructElementType(part);
    whole = b_.CreateInsertValue(
        whole,
        load(loaded, b_.CreateStructGEP(stored, at, part), loaded->getPrimitiveSizeInBits() / 8),
        part);
  }
  return Widen(b_, type, whole);
}

void ElementEmitter::Store(ElementType type, llvm::Value* base, llvm::Value* offset,
                           llvm::Value* computed) {
  llvm::Type* stored = StoredType(b_.getContext(), type);
  llvm::Value* narrow = Narrow(b_, type, computed);
  llvm::Value* at = b_.CreateInBoundsGEP(stored, base, offset);
  if (!stored->isStructTy()) {
    const llvm::Align align(std::min<uint64_t>(StoredBytes(type), 8));
    memory_.Mark(b_.CreateAlignedStore(narrow, at, align));
    return;
  }
  for (unsigned part = 0; part < stored->getStructNumElements(); ++part) {
    llvm::Value* value = b_.CreateExtractValue(narrow, part);
    const llvm::Align align(value->getType()->getPrimitiveSizeInBits() / 8);
    memory_.Mark(b_.CreateAlignedStore(value, b_.CreateStructGEP(stored, at, part), align));
  }
}

llvm::Value* ElementEmitter::LoadFrom(uint32_t leaf, const Index& index) {
  const ArrayView& view = body_.buffers[leaf];
  // Only a result of the same shape may alias it.
  const bool invariant = std::none_of(body_.buffers.begin() + body_.operand_leaves,
                                      body_.buffers.end(), [&](const ArrayView& result) {
                                        return result.count == view.count &&
                                               StoredBytes(result.type) == StoredBytes(view.type);
                                      });
  const IndexExpr offset = space_.Linear(index, view.strides);
  if (loader_) {
    if (llvm::Value* stored = loader_(leaf, offset)) return Widen(b_, view.type, stored);
  }
  return Load(view.type, bases_[leaf], space_.Emit(b_, offset), invariant);
}

void ElementEmitter::StoreTo(uint32_t leaf, const Index& index, llvm::Value* computed) {
  const ArrayView& view = body_.buffers[leaf];
  const IndexExpr offset = space_.Linear(index, view.strides);
  if (storer_ && storer_(leaf, offset, computed)) return;
  Store(view.type, bases_[leaf], space_.Emit(b_, offset), computed);
}

llvm::Value* ElementEmitter::At(InstId inst, const Index& index, uint32_t part) {
  if (failed_) return Poison(inst, part);
  const Key key{{inst.value, part}, index};
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->find(key); found != scope->end()) return found->second;
  }
  if (++emitted_ > body_.max_values) {
    Fail("the code would grow too large");
    return Poison(inst, part);
  }
  if (++depth_ > kMaxEmitDepth) Fail("instructions nested too deeply");
  llvm::Value* value = failed_ ? Poison(inst, part) : Compute(inst, index, part);
  --depth_;
  if (!failed_) scopes_.back().emplace(key, value);
  return value;
}

llvm::Value* ElementEmitter::LoadInput(InstId inst, uint32_t leaf, const Index& index) {
  if (body_.module->shapes.is_tuple(body_.at(inst).shape)) {
    Fail("a tuple where an array is read");
    return Poison(inst, 0);
  }
  return LoadFrom(leaf, index);
}

llvm::Value* ElementEmitter::Compute(InstId id, const Index& index, uint32_t part) {
  if (const auto given = given_.find(id.value); given != given_.end()) {
    if (llvm::Value* value = given->second(index, part)) return value;
    Fail("a value that is needed at another index than the loop's");
    return Poison(id, part);
  }
  if (const auto input = body_.inputs.find(id.value); input != body_.inputs.end()) {
    return LoadInput(id, input->second, index);
  }
  const Inst& inst = body_.at(id);
  const std::span<const InstId> operands = body_.operands(id);
  const std::span<const int64_t> dims = body_.dims(id, part);
  switch (inst.opcode) {
    case Opcode::kConstant: return Constant(id, index);
    case Opcode::kIota: return Iota(id, index);
    case Opcode::kGetTupleElement: {
      const auto number =
          static_cast<uint32_t>(body_.module->IntOr(inst.attrs, AttrKey::k_index, 0));
      if (const auto input = body_.inputs.find(operands[0].value); input != body_.inputs.end()) {
        uint32_t leaf = input->second;
        const auto parts = body_.module->shapes.elements(body_.at(operands[0]).shape);
        for (uint32_t i = 0; i < number; ++i) {
          if (body_.module->shapes.is_tuple(parts[i])) Fail("a tuple inside a tuple");
          ++leaf;
        }
        return failed_ ? Poison(id, part) : LoadFrom(leaf, index);
      }
      return At(operands[0], index, number);
    }
    case Opcode::kTuple: return At(operands[part], index);
    case Opcode::kOptimizationBarrier:
    case Opcode::kCopy:
      if (body_.type(id) == body_.type(operands[0], part)) return At(operands[0], index, part);
      break;
    case Opcode::kReshape: {
      Index from = space_.Delinearize(space_.Linear(index,
                                                    [&] {
                                                      std::vector<int64_t> strides(dims.size(), 1);
                                                      for (size_t i = dims.size(); i-- > 1;)
                                                        strides[i - 1] = strides[i] * dims[i];
                                                      return strides;
                                                    }()),
                                      body_.dims(operands[0]));
      return At(operands[0], from);
    }
    case Opcode::kBitcast: return Bitcast(id, index);
    case Opcode::kBitcastConvert:
      if (InfoOf(body_.type(id)).bits == InfoOf(body_.type(operands[0])).bits) break;
      return ConvertBits(id, index);
    case Opcode::kBroadcast: {
      const std::span<const int64_t> mapped = body_.ints(id, AttrKey::k_dimensions);
      const std::span<const int64_t> own = body_.dims(operands[0]);
      Index from(own.size());
      for (size_t i = 0; i < own.size(); ++i) {
        if (own[i] != 1) from[i] = index[static_cast<size_t>(mapped[i])];
      }
      return At(operands[0], from);
    }
    case Opcode::kTranspose: {
      const std::span<const int64_t> order = body_.ints(id, AttrKey::k_dimensions);
      Index from(order.size());
      for (size_t i = 0; i < order.size(); ++i) from[static_cast<size_t>(order[i])] = index[i];
      return At(operands[0], from);
    }
    case Opcode::kSlice: {
      const std::span<const int64_t> bounds = body_.ints(id, AttrKey::k_slice);
      Index from(index.size());
      for (size_t i = 0; i < index.size(); ++i) {
        from[i] = space_.AddConstant(
            IndexSpace::Scale(index[i], std::max<int64_t>(1, bounds[3 * i + 2])), bounds[3 * i]);
      }
      return At(operands[0], from);
    }
    case Opcode::kReverse: {
      Index from = index;
      for (const int64_t dim : body_.ints(id, AttrKey::k_dimensions)) {
        const auto d = static_cast<size_t>(dim);
        from[d] = space_.AddConstant(IndexSpace::Scale(index[d], -1), dims[d] - 1);
      }
      return At(operands[0], from);
    }
    case Opcode::kPad: return Pad(id, index);
    case Opcode::kConcatenate: return Concatenate(id, index);
    case Opcode::kDynamicSlice: return DynamicSlice(id, index);
    case Opcode::kDynamicUpdateSlice: return DynamicUpdateSlice(id, index);
    case Opcode::kGather: return Gather(id, index);
    case Opcode::kMap: return Map(id, index);
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {
      const Values folded =
          inst.opcode == Opcode::kReduce ? Reduce(id, index) : ReduceWindow(id, index);
      if (failed_) return Poison(id, part);
      for (uint32_t k = 0; k < folded.size(); ++k) {
        scopes_.back().emplace(Key{{id.value, k}, index}, folded[k]);
      }
      return folded[part];
    }
    default: break;
  }
  return Scalar(id, index);
}

llvm::Value* ElementEmitter::Scalar(InstId id, const Index& index) {
  const Inst& inst = body_.at(id);
  const std::span<const InstId> operands = body_.operands(id);
  if (!IsScalarOp(*body_.module, inst) || body_.module->shapes.is_tuple(inst.shape)) {
    Fail("no kernel for " + std::string(body_.module->opcode_text(inst)));
    return Poison(id, 0);
  }
  if (const auto known = reciprocals_.find(id.value);
      known != reciprocals_.end() && known->second != nullptr) {
    return b_.CreateFMul(At(operands[0], index), known->second);
  }
  Values values;
  for (const InstId operand : operands) {
    const std::span<const int64_t> dims = body_.dims(operand);
    // Scalars where arrays are expected: the predicate of a select, the bounds of a clamp.
    if (dims.empty()) {
      values.push_back(At(operand, {}));
    } else if (dims.size() == index.size()) {
      values.push_back(At(operand, index));
    } else {
      Fail("an elementwise op between different ranks");
      return Poison(id, 0);
    }
  }
  if (failed_) return Poison(id, 0);
  return EmitScalarOp(b_, *body_.module, inst, values);
}

llvm::Value* ElementEmitter::Constant(InstId id, const Index& index) {
  const LiteralId literal(body_.at(id).extra);
  const std::span<const int64_t> dims = body_.dims(id);
  const ElementType type = body_.type(id);
  int64_t count = 1;
  std::vector<int64_t> strides(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = count;
    count *= dims[i];
  }
  if (count == 1) {
    if (llvm::Value* value = ScalarConstant(b_, *body_.module, literal)) return value;
  } else {
    llvm::Value*& memory = literals_[literal.value];
    if (memory == nullptr) memory = ConstantMemory(b_, *body_.module, literal);
    if (memory != nullptr) {
      return Load(type, memory, space_.Emit(b_, space_.Linear(index, strides)), true);
    }
  }
  Fail("a constant whose value is not known");
  return Poison(id, 0);
}

llvm::Value* ElementEmitter::Iota(InstId id, const Index& index) {
  const auto along =
      static_cast<size_t>(body_.module->IntOr(body_.at(id).attrs, AttrKey::k_iota_dimension, 0));
  const ElementType type = body_.type(id);
  llvm::Type* computed = ComputedType(b_.getContext(), type);
  if (along >= index.size()) return llvm::Constant::getNullValue(computed);
  llvm::Value* at = space_.Emit(b_, index[along]);
  if (computed->isIntegerTy()) {
    return Round(b_, type, b_.CreateTrunc(at, computed));
  }
  if (auto* pair = llvm::dyn_cast<llvm::StructType>(computed)) {
    return b_.CreateInsertValue(llvm::Constant::getNullValue(pair),
                                b_.CreateSIToFP(at, pair->getElementType(0)), 0);
  }
  return Round(b_, type, b_.CreateSIToFP(at, computed));
}

llvm::Value* ElementEmitter::Map(InstId id, const Index& index) {
  Values values;
  for (const InstId operand : body_.operands(id)) values.push_back(At(operand, index));
  const CompId comp = body_.computation(id);
  if (!failed_) {
    const std::optional<Values> mapped = EmitComputation(b_, *body_.module, comp, values);
    if (mapped && mapped->size() == 1 &&
        (*mapped)[0]->getType() == ComputedType(b_.getContext(), body_.type(id))) {
      return (*mapped)[0];
    }
    Fail("a map whose computation is not one of scalars");
  }
  return Poison(id, 0);
}

llvm::Value* ElementEmitter::Bitcast(InstId id, const Index& index) {
  const InstId operand = body_.operands(id)[0];
  const ArrayView to = ViewOf(*body_.module, body_.shape(id));
  const ArrayView from = ViewOf(*body_.module, body_.shape(operand));
  if (to.count != from.count || StoredBytes(to.type) != StoredBytes(from.type)) {
    Fail("a bitcast between elements of different sizes");
    return Poison(id, 0);
  }
  std::vector<int64_t> physical;
  for (const int64_t dim : from.major_to_minor) {
    physical.push_back(from.dims[static_cast<size_t>(dim)]);
  }
  const Index digits = space_.Delinearize(space_.Linear(index, to.strides), physical);
  Index at(digits.size());
  for (size_t i = 0; i < digits.size(); ++i) {
    at[static_cast<size_t>(from.major_to_minor[i])] = digits[i];
  }
  llvm::Value* value = At(operand, at);
  if (to.type == from.type || failed_) return failed_ ? Poison(id, 0) : value;
  llvm::Type* target = StoredType(b_.getContext(), to.type);
  llvm::Value* stored = Narrow(b_, from.type, value);
  if (stored->getType()->isStructTy() || target->isStructTy()) {
    Fail("a bitcast of complex numbers");
    return Poison(id, 0);
  }
  return Widen(b_, to.type, b_.CreateBitCast(stored, target));
}

}  // namespace halo

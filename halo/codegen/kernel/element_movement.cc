// Ops whose source position is computed: pads, concatenates, dynamic slices, gathers. Out-of-bounds
// positions are clamped as in halo/eval.
#include <algorithm>
#include <llvm/IR/IRBuilder.h>

#include "halo/base/containers/contains.h"
#include "halo/codegen/kernel/element_emitter.h"
#include "halo/codegen/scalar/scalar_ir.h"

namespace halo {
namespace {

llvm::Value* Number(llvm::IRBuilderBase& b, int64_t value) {
  return b.getInt64(static_cast<uint64_t>(value));
}

}  // namespace

void ElementEmitter::ChangesAt(const IndexExpr& at, int64_t position) {
  if (changes_ != nullptr) changes_->push_back(space_.AddConstant(at, -position));
}

void ElementEmitter::Inside(Condition& condition, const IndexExpr& at, int64_t size) {
  const IndexSpace::Range range = space_.RangeOf(at);
  if (range.min >= 0 && range.max < size) return;
  if (range.min < 0) ChangesAt(at, 0);
  if (range.max >= size) ChangesAt(at, size);
  llvm::Value* value = space_.Emit(b_, at);
  // One unsigned comparison checks both bounds.
  llvm::Value* inside = range.min >= 0 ? b_.CreateICmpSLT(value, Number(b_, size))
                                       : b_.CreateICmpULT(value, Number(b_, size));
  condition.value = condition.value == nullptr ? inside : b_.CreateAnd(condition.value, inside);
  condition.varies = condition.varies || Varies(at);
}

IndexExpr ElementEmitter::Clamp(const IndexExpr& at, int64_t size) {
  const IndexSpace::Range range = space_.RangeOf(at);
  if (range.min >= 0 && range.max < size) return at;
  llvm::Value* value = space_.Emit(b_, at);
  value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, Number(b_, 0));
  value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, Number(b_, size - 1));
  return space_.FromValue(value, size);
}

llvm::Value* ElementEmitter::Guarded(const Condition& condition,
                                     const std::function<llvm::Value*()>& inside,
                                     const std::function<llvm::Value*()>& outside) {
  if (condition.value == nullptr) return inside();
  if (!condition.varies) {
    llvm::Value* value = inside();
    return b_.CreateSelect(condition.value, value, outside());
  }
  llvm::Value* other = outside();
  return EmitChoice(
      b_, condition.value,
      [&] {
        Enter();
        llvm::Value* value = inside();
        Leave();
        return value;
      },
      [&] { return other; });
}

llvm::Value* ElementEmitter::ConvertBits(InstId id, const Index& index) {
  const InstId operand = body_.operands(id)[0];
  const auto from_bits = static_cast<unsigned>(InfoOf(body_.type(operand)).bits);
  const auto to_bits = static_cast<unsigned>(InfoOf(body_.type(id)).bits);
  // Elements that are computed in the form in which they are stored.
  const auto is_plain = [&](ElementType type, unsigned bits) {
    llvm::Type* computed = ComputedType(b_.getContext(), type);
    return bits >= 8 && !computed->isStructTy() && computed->getScalarSizeInBits() == bits;
  };
  if (!is_plain(body_.type(operand), from_bits) || !is_plain(body_.type(id), to_bits)) {
    Fail("a bitcast-convert between these types");
    return Poison(id, 0);
  }
  const auto bits_at = [&](const Index& at) {
    llvm::Value* value = At(operand, at);
    return b_.CreateBitCast(value, b_.getIntNTy(from_bits));
  };
  llvm::Type* wanted = b_.getIntNTy(to_bits);
  llvm::Value* bits = nullptr;
  Index at = index;
  if (from_bits > to_bits) {
    llvm::Value* shift = b_.CreateMul(space_.Emit(b_, at.back()), Number(b_, to_bits));
    at.pop_back();
    bits = bits_at(at);
    shift = b_.CreateZExtOrTrunc(shift, bits->getType());
    bits = b_.CreateTrunc(b_.CreateLShr(bits, shift), wanted);
  } else {
    at.emplace_back();
    for (unsigned part = 0; part * from_bits < to_bits; ++part) {
      at.back() = ConstantIndex(part);
      llvm::Value* shifted = b_.CreateShl(b_.CreateZExt(bits_at(at), wanted), part * from_bits);
      bits = bits == nullptr ? shifted : b_.CreateOr(bits, shifted);
    }
  }
  if (failed_) return Poison(id, 0);
  return b_.CreateBitCast(bits, ComputedType(b_.getContext(), body_.type(id)));
}

llvm::Value* ElementEmitter::Pad(InstId id, const Index& index) {
  const std::span<const InstId> operands = body_.operands(id);
  const std::span<const int64_t> config = body_.ints(id, AttrKey::k_padding);
  const std::span<const int64_t> dims = body_.dims(operands[0]);
  Condition condition;
  Index from(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    if (dims[i] == 0) return At(operands[1], {});
    const int64_t step = config[3 * i + 2] + 1;
    const IndexExpr at = space_.AddConstant(index[i], -config[3 * i]);
    Inside(condition, at, (dims[i] - 1) * step + 1);
    from[i] = at;
    if (step == 1) continue;
    llvm::Value* hole = b_.CreateURem(space_.Emit(b_, at), Number(b_, step));
    llvm::Value* hit = b_.CreateICmpEQ(hole, Number(b_, 0));
    condition.value = condition.value == nullptr ? hit : b_.CreateAnd(condition.value, hit);
    condition.varies = condition.varies || Varies(at);
  }
  return Guarded(
      condition,
      [&] {
        for (size_t i = 0; i < index.size(); ++i) {
          const int64_t step = config[3 * i + 2] + 1;
          if (!condition.varies) from[i] = Clamp(from[i], (dims[i] - 1) * step + 1);
          if (step != 1) from[i] = space_.Div(from[i], step);
        }
        return At(operands[0], from);
      },
      [&] { return At(operands[1], {}); });
}

llvm::Value* ElementEmitter::Concatenate(InstId id, const Index& index) {
  const std::span<const InstId> operands = body_.operands(id);
  const auto along = static_cast<size_t>(body_.ints(id, AttrKey::k_dimensions)[0]);
  const IndexSpace::Range range = space_.RangeOf(index[along]);
  // The operands that the index can fall into.
  std::vector<std::pair<InstId, int64_t>> parts;
  int64_t begin = 0;
  for (const InstId operand : operands) {
    const int64_t size = body_.dims(operand)[along];
    if (size > 0 && begin <= range.max && begin + size > range.min)
      parts.emplace_back(operand, begin);
    begin += size;
  }
  if (parts.empty()) {
    Fail("a concatenation of nothing");
    return Poison(id, 0);
  }
  const std::function<llvm::Value*(size_t)> pick = [&](size_t k) -> llvm::Value* {
    const auto part = [&, k] {
      Index from = index;
      from[along] = space_.AddConstant(index[along], -parts[k].second);
      return At(parts[k].first, from);
    };
    if (k + 1 == parts.size()) return part();
    ChangesAt(index[along], parts[k + 1].second);
    llvm::Value* here =
        b_.CreateICmpSLT(space_.Emit(b_, index[along]), Number(b_, parts[k + 1].second));
    const auto scoped = [&](const std::function<llvm::Value*()>& emit) {
      Enter();
      llvm::Value* value = emit();
      Leave();
      return value;
    };
    return EmitChoice(
        b_, here, [&] { return scoped(part); },
        [&] { return scoped([&] { return pick(k + 1); }); });
  };
  if (parts.size() > 256) {
    Fail("a concatenation of too many parts");
    return Poison(id, 0);
  }
  return pick(0);
}

llvm::Value* ElementEmitter::StartAt(InstId inst, const Index& index) {
  const ElementType type = body_.type(inst);
  llvm::Value* value = At(inst, index);
  if (failed_ || !value->getType()->isIntegerTy()) {
    Fail("a position that is not an integer");
    return b_.getInt64(0);
  }
  if (InfoOf(type).klass == ElementClass::kSigned) return b_.CreateSExt(value, b_.getInt64Ty());
  value = b_.CreateZExt(value, b_.getInt64Ty());
  if (type != ElementType::kU64) return value;
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, value, Number(b_, INT64_MAX));
}

IndexExpr ElementEmitter::ClampedStart(InstId inst, const Index& index, int64_t max) {
  if (max <= 0) return {};
  llvm::Value* value = StartAt(inst, index);
  value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, Number(b_, 0));
  value = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, Number(b_, max));
  return space_.FromValue(value, max + 1);
}

Index ElementEmitter::Starts(InstId id, size_t first, std::span<const int64_t> whole,
                             std::span<const int64_t> part) {
  const std::span<const InstId> operands = body_.operands(id);
  const bool vector = operands.size() == first + 1 && body_.dims(operands[first]).size() == 1;
  Index starts(whole.size());
  if (!vector && operands.size() != first + whole.size()) {
    Fail("starts that do not fit the rank");
    return starts;
  }
  for (size_t i = 0; i < whole.size(); ++i) {
    const InstId operand = operands[vector ? first : first + i];
    const Index at = vector ? Index{ConstantIndex(static_cast<int64_t>(i))} : Index();
    starts[i] = ClampedStart(operand, at, whole[i] - part[i]);
  }
  return starts;
}

llvm::Value* ElementEmitter::DynamicSlice(InstId id, const Index& index) {
  const InstId operand = body_.operands(id)[0];
  Index from = Starts(id, 1, body_.dims(operand), body_.dims(id));
  for (size_t i = 0; i < from.size(); ++i) from[i] = space_.Add(from[i], index[i]);
  return failed_ ? Poison(id, 0) : At(operand, from);
}

llvm::Value* ElementEmitter::DynamicUpdateSlice(InstId id, const Index& index) {
  const std::span<const InstId> operands = body_.operands(id);
  const std::span<const int64_t> part = body_.dims(operands[1]);
  if (std::ranges::find(part, 0) != part.end()) return At(operands[0], index);
  const Index starts = Starts(id, 2, body_.dims(id), part);
  Condition condition;
  Index from(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    from[i] = space_.Add(index[i], IndexSpace::Scale(starts[i], -1));
    Inside(condition, from[i], part[i]);
  }
  return Guarded(
      condition,
      [&] {
        if (!condition.varies) {
          for (size_t i = 0; i < from.size(); ++i) from[i] = Clamp(from[i], part[i]);
        }
        return At(operands[1], from);
      },
      [&] { return At(operands[0], index); });
}

llvm::Value* ElementEmitter::Gather(InstId id, const Index& index) {
  const InstId operand = body_.operands(id)[0];
  const InstId indices = body_.operands(id)[1];
  const std::span<const int64_t> dims = body_.dims(operand);
  const std::span<const int64_t> sizes = body_.ints(id, AttrKey::k_slice_sizes);
  const std::span<const int64_t> offset_dims = body_.ints(id, AttrKey::k_offset_dims);
  const std::span<const int64_t> map = body_.ints(id, AttrKey::k_start_index_map);
  const std::span<const int64_t> batching = body_.ints(id, AttrKey::k_operand_batching_dims);
  const std::span<const int64_t> from_batching =
      body_.ints(id, AttrKey::k_start_indices_batching_dims);
  const auto vector_dim =
      static_cast<size_t>(body_.module->IntOr(body_.at(id).attrs, AttrKey::k_index_vector_dim, 0));
  // The position of the index vector within the indices.
  const size_t rank = body_.dims(indices).size();
  Index position(rank);
  size_t next = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    if (Contains(offset_dims, i)) continue;
    if (next == vector_dim) ++next;
    if (next < rank) position[next++] = index[i];
  }
  Index from(dims.size());
  for (size_t k = 0; k < map.size(); ++k) {
    if (vector_dim < rank) position[vector_dim] = ConstantIndex(static_cast<int64_t>(k));
    const auto dim = static_cast<size_t>(map[k]);
    from[dim] = ClampedStart(indices, position, dims[dim] - std::min(sizes[dim], dims[dim]));
  }
  for (size_t k = 0; k < batching.size(); ++k) {
    from[static_cast<size_t>(batching[k])] = position[static_cast<size_t>(from_batching[k])];
  }
  size_t offset = 0;
  for (size_t i = 0; i < dims.size() && offset < offset_dims.size(); ++i) {
    if (Contains(body_.ints(id, AttrKey::k_collapsed_slice_dims), i) || Contains(batching, i)) {
      continue;
    }
    from[i] = space_.Add(from[i], index[static_cast<size_t>(offset_dims[offset++])]);
  }
  return failed_ ? Poison(id, 0) : At(operand, from);
}

}  // namespace halo

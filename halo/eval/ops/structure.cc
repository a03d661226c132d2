// Ops that only arrange values: constants, tuples and their elements, copies, barriers, tokens, and
// bitcast, which reinterprets the elements in the storage order of one layout by another layout.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/eval_options.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/eval/ops/tiled_storage.h"

namespace halo {
namespace {

// Consumes as many bytes of the literal as the shape needs.
Value FromBits(const OpContext& cx, ShapeId shape, std::span<const uint8_t>& bits) {
  const ShapeTable& shapes = cx.module.shapes;
  if (shapes.is_tuple(shape)) {
    std::vector<Value> elements;
    for (const ShapeId element : shapes.elements(shape)) {
      elements.push_back(FromBits(cx, element, bits));
    }
    return Value::Tuple(std::move(elements));
  }
  if (!shapes.is_array(shape)) return Value::Token();
  Array array = cx.Make(shapes.type(shape), shapes.dims(shape));
  const size_t size = std::min(bits.size(), array.byte_count());
  if (size != 0) std::memcpy(array.MutableBytes(), bits.data(), size);
  bits = bits.subspan(size);
  return array;
}

Value Filled(const OpContext& cx, ShapeId shape) {
  std::span<const uint8_t> nothing;
  Value value = FromBits(cx, shape, nothing);
  if (cx.options().fill_elided == FillElided::kZeros || !value.is_array()) return value;
  Array& array = value.array();
  for (int64_t i = 0; i < array.count(); ++i) {
    const int64_t number = cx.options().fill_elided == FillElided::kOnes ? 1 : i;
    uint8_t* to = array.MutableBytes() + static_cast<size_t>(i) * array.element_bytes();
    if (LaneKindOf(array.type()) == LaneKind::kFloat ||
        LaneKindOf(array.type()) == LaneKind::kComplex) {
      StoreComplex(array.type(), static_cast<double>(number), to);
    } else {
      StoreInt(array.type(), number, to);
    }
  }
  return value;
}

std::span<const int64_t> LayoutOf(const OpContext& cx, ShapeId shape, Dims& fallback) {
  const Layout* layout = cx.module.shapes.layout(shape);
  const size_t rank = cx.module.shapes.dims(shape).size();
  if (layout != nullptr && layout->minor_to_major.size() == rank) return layout->minor_to_major;
  fallback.clear();
  for (size_t i = rank; i-- > 0;) fallback.push_back(static_cast<int64_t>(i));
  return fallback;
}

bool IsRowMajor(std::span<const int64_t> minor_to_major) {
  return std::ranges::is_sorted(minor_to_major, std::ranges::greater());
}

// Calls visit(index, its number) for every index of an array, in row-major order.
template <class Visit>
void ForEachIndex(std::span<const int64_t> dims, const Visit& visit) {
  const int64_t count = ElementsIn(dims);
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    visit(std::span<const int64_t>(index), i);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++index[d] < dims[d]) break;
      index[d] = 0;
    }
  }
}

// A bitcast that takes padding for elements or the reverse, or between elements of different
// widths: each byte keeps its stored position. Padding has no value and is read as zero. Returns
// nothing if the layouts do not say where.
std::optional<Result<Value>> BitcastInTiles(const OpContext& cx) {
  const ShapeTable& shapes = cx.module.shapes;
  const Layout* own = shapes.layout(cx.operand_shape(0));
  const Layout* other = shapes.layout(cx.shape());
  if (own == nullptr || other == nullptr || (own->tiles.empty() && other->tiles.empty())) {
    return std::nullopt;
  }
  const Array& from = cx.array(0);
  const auto before = TiledStorage::Make(from.dims(), *own);
  const auto after = TiledStorage::Make(cx.dims(), *other);
  const size_t from_bytes = from.element_bytes();
  const size_t to_bytes = StoredBytes(cx.type());
  const auto bytes_of = [](const TiledStorage& storage, size_t element_bytes) {
    int64_t bytes = 0;
    const auto width = static_cast<int64_t>(element_bytes);
    return __builtin_mul_overflow(storage.size(), width, &bytes) ? std::nullopt
                                                                 : std::optional(bytes);
  };
  // Anything more than a tile's padding apart is not the same memory.
  if (!before || !after) return std::nullopt;
  const std::optional<int64_t> size = bytes_of(*before, from_bytes);
  if (!size || size != bytes_of(*after, to_bytes)) return std::nullopt;
  if (auto full = cx.CheckBudget(*size)) return *std::move(full);
  Array stored = cx.Make(from.type(), std::array<int64_t, 1>{before->size()});
  Array result = cx.MakeResult();
  uint8_t* const bytes = stored.MutableBytes();
  ForEachIndex(from.dims(), [&](std::span<const int64_t> index, int64_t i) {
    std::memcpy(bytes + static_cast<size_t>(before->PositionOf(index)) * from_bytes,
                from.bytes() + static_cast<size_t>(i) * from_bytes, from_bytes);
  });
  ForEachIndex(cx.dims(), [&](std::span<const int64_t> index, int64_t i) {
    std::memcpy(result.MutableBytes() + static_cast<size_t>(i) * to_bytes,
                bytes + static_cast<size_t>(after->PositionOf(index)) * to_bytes, to_bytes);
  });
  return Value(std::move(result));
}

}  // namespace

Result<Value> EvalConstant(OpContext& cx) {
  Value& kept = cx.ConstantSlot();
  if (!kept.is_none()) return kept;
  const LiteralId literal(cx.inst.extra);
  if (!literal.valid() || literal.index() >= cx.module.literals.size()) {
    return cx.Fail(diag::kCannotEvaluate, "has no value");
  }
  if (!cx.module.literals.is_elided(literal)) {
    std::span<const uint8_t> bits = cx.module.literals.bits(literal);
    kept = FromBits(cx, cx.shape(), bits);
  } else if (cx.options().fill_elided != FillElided::kRefuse) {
    kept = Filled(cx, cx.shape());
  } else {
    return cx.Fail(diag::kUnknownConstant,
                   "the dump elides its value as {...}, so its uses cannot be computed");
  }
  return kept;
}

Result<Value> EvalTuple(OpContext& cx) {
  return Value::Tuple(std::vector<Value>(std::make_move_iterator(cx.operands.begin()),
                                         std::make_move_iterator(cx.operands.end())));
}

Result<Value> EvalGetTupleElement(OpContext& cx) {
  const int64_t index = cx.integer(AttrKey::k_index, -1);
  const std::span<const Value> elements = cx.operand(0).elements();
  if (index < 0 || index >= static_cast<int64_t>(elements.size())) {
    return cx.Fail(diag::kCannotEvaluate, "the tuple has no such element");
  }
  return elements[static_cast<size_t>(index)];
}

// A copy may change the element type on some backends.
Result<Value> EvalIdentity(OpContext& cx) {
  Value& operand = cx.operand(0);
  if (operand.is_array() && cx.module.shapes.is_array(cx.shape()) &&
      operand.array().type() != cx.type()) {
    return Value(Converted(cx, operand.array(), cx.type()));
  }
  return std::move(operand);
}

Result<Value> EvalAddDependency(OpContext& cx) { return std::move(cx.operand(0)); }

Result<Value> EvalAfterAll(OpContext& /*cx*/) { return Value::Token(); }

// (destination, source, context)
Result<Value> EvalCopyStart(OpContext& cx) {
  std::vector<Value> parts = {cx.operand(0), cx.operand(0)};
  for (size_t i = 2; i < cx.module.shapes.elements(cx.shape()).size(); ++i) {
    parts.emplace_back(
        cx.Make(cx.module.shapes.type(cx.shape(i)), cx.module.shapes.dims(cx.shape(i))));
  }
  return Value::Tuple(std::move(parts));
}

Result<Value> EvalCopyDone(OpContext& cx) {
  const std::span<const Value> parts = cx.operand(0).elements();
  if (parts.empty()) return cx.Fail(diag::kCannotEvaluate, "its operand is not a copy-start");
  if (parts[0].is_array() && parts[0].array().type() != cx.type()) {
    return Value(Converted(cx, parts[0].array(), cx.type()));
  }
  return parts[0];
}

Result<Value> EvalBitcast(OpContext& cx) {
  if (!cx.operand(0).is_array() || !cx.module.shapes.is_array(cx.shape())) {
    return std::move(cx.operand(0));
  }
  const Array& from = cx.array(0);
  const bool same_width = StoredBytes(cx.type()) == from.element_bytes();
  const bool packed = InfoOf(cx.type()).bits < 8 || InfoOf(from.type()).bits < 8;
  const bool same_bytes = ElementsIn(cx.dims()) * static_cast<int64_t>(StoredBytes(cx.type())) ==
                          static_cast<int64_t>(from.byte_count());
  const bool is_defined = same_width || !packed;
  if (is_defined && (!same_bytes || !same_width)) {
    if (std::optional<Result<Value>> tiled = BitcastInTiles(cx)) return *std::move(tiled);
  }
  if (!is_defined || !same_bytes) {
    return cx.Fail(diag::kCannotEvaluate,
                   same_width
                       ? "a bitcast to another number of elements is defined for tiled layouts only"
                       : "a bitcast between elements of these widths is not defined here");
  }
  Dims own;
  Dims other;
  const std::span<const int64_t> before = LayoutOf(cx, cx.operand_shape(0), own);
  const std::span<const int64_t> after = LayoutOf(cx, cx.shape(), other);
  Array stored = IsRowMajor(before) ? from : ToPhysical(cx, from, before);
  if (same_width) {
    stored = stored.Retyped(cx.type());
  } else {
    const int64_t count = ElementsIn(cx.dims());
    Array other_width = cx.Make(cx.type(), {&count, 1});
    if (count > 0) std::memcpy(other_width.MutableBytes(), stored.bytes(), stored.byte_count());
    stored = std::move(other_width);
  }
  if (IsRowMajor(after)) return Value(stored.Reshaped(cx.dims()));
  return Value(FromPhysical(cx, stored, cx.dims(), after));
}

Result<Value> EvalReplicaId(OpContext& cx) {
  Array id = cx.MakeResult();
  StoreInt(cx.type(), cx.replica(), id.MutableBytes());
  return Value(std::move(id));
}

Result<Value> EvalPartitionId(OpContext& cx) {
  Array id = cx.MakeResult();
  StoreInt(cx.type(), cx.partition(), id.MutableBytes());
  return Value(std::move(id));
}

}  // namespace halo

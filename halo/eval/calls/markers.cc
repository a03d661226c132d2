// Custom calls that compute nothing: annotations for the partitioner and the memory planner, and
// the boundaries where compilers split 64-bit numbers, bounded dimensions and buffers.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/calls/stand_ins.h"
#include "halo/eval/collectives/collective_parts.h"
#include "halo/eval/collectives/manual_region.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// Pinning and unpinning change only the type of the value, between array and buffer.
Result<Value> PinCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  return std::move(cx.operand(0));
}

Result<Value> CreateBufferCall(OpContext& cx) {
  if (!cx.module.shapes.is_buffer(cx.shape())) return ZerosCall(cx);
  const ShapeId inner = cx.module.shapes.buffer_inner(cx.shape());
  if (!cx.module.shapes.is_array(inner)) return BadCall(cx, "makes buffers of arrays only");
  const auto bytes = cx.module.shapes.ByteSize(inner);
  if (auto full = cx.CheckBudget(bytes.value_or(INT64_MAX))) return *std::move(full);
  return Value(cx.Make(cx.module.shapes.type(inner), cx.module.shapes.dims(inner)));
}

// Returns one half of a number of 64 bits or more: the low or high word of an integer, the real or
// imaginary part, or a double's leading float or the remainder.
Result<Value> SplitCall(OpContext& cx, bool high) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  const Array& array = cx.array(0);
  const ShapeId shape = cx.shape();
  if (!cx.module.shapes.is_array(shape)) return BadCall(cx, "yields one array");
  const ElementType type = cx.module.shapes.type(shape);
  Array out = cx.Make(type, array.dims());
  uint8_t* const to = out.MutableBytes();
  for (size_t i = 0; i < static_cast<size_t>(array.count()); ++i) {
    const uint8_t* const from = array.bytes() + i * array.element_bytes();
    uint8_t* const at = to + i * out.element_bytes();
    if (IsIntegerType(array.type())) {
      const auto bits = static_cast<uint64_t>(LoadInt(array.type(), from));
      if (!IsIntegerType(type)) return BadCall(cx, "an integer has integer halves");
      StoreInt(type, static_cast<int64_t>(high ? bits >> 32 : bits & 0xFFFFFFFF), at);
      continue;
    }
    if (LaneKindOf(type) != LaneKind::kFloat) return BadCall(cx, "its halves are floats");
    const Complex value = LoadComplex(array.type(), from);
    if (LaneKindOf(array.type()) == LaneKind::kComplex) {
      StoreFloat(type, high ? value.imag() : value.real(), at);
    } else {
      // Unlike integers, floats have their leading part in the "low" half: arithmetic on the halves
      // takes the first as a rounded value and the second as its error.
      const double leading = static_cast<float>(value.real());
      StoreFloat(type, high ? value.real() - leading : leading, at);
    }
  }
  return FinishCall(cx, {std::move(out)});
}

// Recombines what SplitCall split. Operands: low half, high half.
Result<Value> CombineCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 2)) return *std::move(bad);
  const Array& low = cx.array(0);
  const Array& high = cx.array(1);
  if (!cx.module.shapes.is_array(cx.shape()) || !std::ranges::equal(low.dims(), high.dims())) {
    return BadCall(cx, "its halves differ in shape");
  }
  const ElementType type = cx.type();
  const bool is_integer = IsIntegerType(type);
  if (is_integer != IsIntegerType(low.type()) || is_integer != IsIntegerType(high.type())) {
    return BadCall(cx, "its halves are of another kind than the whole");
  }
  Array out = cx.Make(type, low.dims());
  uint8_t* const to = out.MutableBytes();
  for (size_t i = 0; i < static_cast<size_t>(low.count()); ++i) {
    const uint8_t* const low_at = low.bytes() + i * low.element_bytes();
    const uint8_t* const high_at = high.bytes() + i * high.element_bytes();
    uint8_t* const at = to + i * out.element_bytes();
    if (is_integer) {
      const uint64_t bits = (static_cast<uint64_t>(LoadInt(high.type(), high_at)) << 32) |
                            (static_cast<uint64_t>(LoadInt(low.type(), low_at)) & 0xFFFFFFFF);
      StoreInt(type, static_cast<int64_t>(bits), at);
    } else if (LaneKindOf(type) == LaneKind::kComplex) {
      StoreComplex(type, {LoadFloat(low.type(), low_at), LoadFloat(high.type(), high_at)}, at);
    } else if (LaneKindOf(type) == LaneKind::kFloat) {
      StoreFloat(type, LoadFloat(low.type(), low_at) + LoadFloat(high.type(), high_at), at);
    }
  }
  return FinishCall(cx, {std::move(out)});
}

// Yields an array of the size of its bounds that starts with the elements, and the size of each
// dimension.
Result<Value> PadToStaticCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  const Array& array = cx.array(0);
  const std::span<const int64_t> bounds = cx.module.shapes.dims(cx.shape(0));
  if (cx.parts() != array.rank() + 1 || bounds.size() != array.rank()) {
    return BadCall(cx, "yields an array and one size per dimension");
  }
  for (size_t i = 0; i < bounds.size(); ++i) {
    if (array.dim(i) > bounds[i]) return BadCall(cx, "its operand passes the declared bounds");
  }
  const Dims origin(array.rank());
  std::vector<Array> values = {cx.Make(array.type(), bounds)};
  CopyBox(array, origin, values[0], origin, array.dims());
  for (size_t i = 0; i < array.rank(); ++i) {
    const auto size = static_cast<double>(array.dim(i));
    values.push_back(StoreDoubles(cx, ElementType::kS32, {}, {&size, 1}));
  }
  return FinishCall(cx, std::move(values));
}

// Yields the elements of the operand's tiles, with zeros where the operand has none.
Result<Value> ZeroCropCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  const Array& array = cx.array(0);
  const bool fits = cx.module.shapes.is_array(cx.shape()) && cx.type() == array.type() &&
                    std::ranges::equal(array.dims(), cx.dims(), std::ranges::less_equal());
  if (!fits) return BadCall(cx, "yields its operand, padded with zeros");
  Array out = cx.MakeResult();
  const Dims origin(array.rank());
  CopyBox(array, origin, out, origin, array.dims());
  return Value(std::move(out));
}

Result<Value> SliceToDynamicCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, std::max<size_t>(1, cx.operands.size()))) return *std::move(bad);
  const Array& array = cx.array(0);
  if (cx.operands.size() != array.rank() + 1) return BadCall(cx, "takes one size per dimension");
  Dims sizes;
  for (size_t i = 0; i < array.rank(); ++i) {
    const Array& size = cx.array(i + 1);
    if (size.count() != 1) return BadCall(cx, "takes scalar sizes");
    sizes.push_back(std::clamp<int64_t>(LoadInt(size.type(), size.bytes()), 0, array.dim(i)));
  }
  const Dims origin(array.rank());
  Array out = cx.Make(array.type(), sizes);
  CopyBox(array, origin, out, origin, sizes);
  return FinishCall(cx, {std::move(out)});
}

// Concatenates slices of one array, which were copied separately, along the dimension that was
// sliced.
Result<Value> ConcatBitcastCall(OpContext& cx) {
  const size_t count = cx.operands.size();
  if (auto bad = NeedArrays(cx, std::max<size_t>(1, count))) return *std::move(bad);
  if (!cx.module.shapes.is_array(cx.shape())) return BadCall(cx, "yields one array");
  const std::span<const int64_t> dims = cx.dims();
  size_t cut = 0;
  while (cut < dims.size() && cut < cx.array(0).rank() && cx.array(0).dim(cut) == dims[cut]) ++cut;
  Array out = cx.MakeResult();
  Dims start(dims.size());
  const Dims origin(dims.size());
  for (size_t i = 0; i < count; ++i) {
    const Array& part = cx.array(i);
    bool fits = part.rank() == dims.size() && part.type() == out.type();
    for (size_t d = 0; fits && d < dims.size(); ++d) {
      fits = part.dim(d) <= dims[d] - start[d] && (d == cut || part.dim(d) == dims[d]);
    }
    if (!fits) return BadCall(cx, "its pieces are no slices of the result along one dimension");
    CopyBox(part, origin, out, start, part.dims());
    if (cut < dims.size()) start[cut] += part.dim(cut);
  }
  if (cut < dims.size() && start[cut] != dims[cut]) return BadCall(cx, "a piece is missing");
  return Value(std::move(out));
}

// A collective that TPUs run in the background: (operand, result, contexts). The operand is not
// available here. It is only read by the copy of the collective in the done half, whose result is
// unused.
Result<Value> AsyncStartCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  if (cx.parts() < 2 || !cx.module.shapes.is_array(cx.shape(0))) {
    return BadCall(cx, "yields operand, result and contexts");
  }
  const ShapeId declared = cx.shape(0);
  Array operand = cx.Make(cx.module.shapes.type(declared), cx.module.shapes.dims(declared));
  return FinishCall(cx, {std::move(operand), cx.array(0)});
}

// Operands: the results of the start, which include the result of the collective.
Result<Value> AsyncDoneCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 2)) return *std::move(bad);
  return FinishCall(cx, {cx.array(1)});
}

}  // namespace

void RegisterMarkers(CustomCallRegistry& registry) {
  for (const char* target : {"Sharding", "annotate_device_placement", "MoveToHost", "MoveToDevice",
                             "xla.sdy.FuncResultSharding", "xla.sdy.Sharding",
                             "xla.sdy.PropagationBarrier", "AssumeGatherIndicesInBound",
                             "GatherScatterIndicesBitpacked", "SetBound", "LayoutConstraint"}) {
    registry.Register(target, IdentityCall);
  }
  // The exits of manual regions are collectives.
  registry.Register("SPMDFullToShardShape", EnterManualRegion);
  registry.Register("xla.sdy.GlobalToLocalShape", EnterManualRegion);
  registry.Register("AllocateBuffer", ZerosCall);
  registry.Register("xla.sdy.ShardingGroup", ZerosCall);
  registry.Register("Pin", PinCall);
  registry.Register("Unpin", PinCall);
  registry.Register("CreateBuffer", CreateBufferCall);
  for (const char* low : {"X64SplitLow", "X128SplitLow"}) {
    registry.Register(low, [](OpContext& cx) { return SplitCall(cx, false); });
  }
  for (const char* high : {"X64SplitHigh", "X128SplitHigh"}) {
    registry.Register(high, [](OpContext& cx) { return SplitCall(cx, true); });
  }
  for (const char* whole : {"X64Combine", "X128Combine"}) registry.Register(whole, CombineCall);
  registry.Register("PadToStatic", PadToStaticCall);
  registry.Register("SliceToDynamic", SliceToDynamicCall);
  registry.Register("ZeroCrop", ZeroCropCall);
  registry.Register("ConcatBitcast", ConcatBitcastCall);
  registry.Register("AsyncCollectiveStart", AsyncStartCall);
  registry.Register("AsyncCollectiveDone", AsyncDoneCall);
}

}  // namespace halo

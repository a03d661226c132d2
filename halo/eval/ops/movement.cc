// Ops that move elements and compute nothing: broadcast, reshape, transpose, slice, reverse, pad,
// concatenate, and the dynamic slices, whose starts are clamped to keep the slice inside.
#include <algorithm>
#include <cstring>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// The declared dimensions; bounds for dynamic ones.
Dims DeclaredDims(const OpContext& cx) { return {cx.dims().begin(), cx.dims().end()}; }

// Reads the starts of a dynamic slice: scalars from operand `first` on, or one vector in old
// programs.
Dims StartsOf(const OpContext& cx, size_t first, std::span<const int64_t> whole,
              std::span<const int64_t> part) {
  Dims starts(whole.size(), 0);
  const bool vector = cx.operands.size() == first + 1 && cx.array(first).rank() == 1;
  for (size_t i = 0; i < whole.size(); ++i) {
    const Array& index = cx.array(vector ? first : first + i);
    const uint8_t* at = index.bytes() + (vector ? i * index.element_bytes() : 0);
    int64_t start = LoadInt(index.type(), at);
    // A u64 beyond int64's range is a huge number, not a negative one.
    if (index.type() == ElementType::kU64 && start < 0) start = INT64_MAX;
    starts[i] = std::clamp<int64_t>(start, 0, std::max<int64_t>(0, whole[i] - part[i]));
  }
  return starts;
}

int64_t OffsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

// With mixed precision, converts the moved elements to the type of the result.
void MatchTypes(OpContext& cx, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    if (cx.array(i).type() == cx.type()) continue;
    cx.operand(i) = Converted(cx, cx.array(i), cx.type());
  }
}

bool StartsFit(const OpContext& cx, size_t first, size_t rank) {
  const size_t given = cx.operands.size() - first;
  if (given == rank) return true;
  return given == 1 && cx.array(first).rank() == 1 &&
         cx.array(first).count() == static_cast<int64_t>(rank);
}

}  // namespace

Result<Value> EvalBroadcast(OpContext& cx) {
  const Array& from = cx.array(0);
  const std::span<const int64_t> mapped = cx.ints(AttrKey::k_dimensions);
  Dims dims = DeclaredDims(cx);
  Dims strides(dims.size(), 0);
  const Dims own = RowMajorStrides(from.dims());
  for (size_t i = 0; i < mapped.size(); ++i) {
    const auto to = static_cast<size_t>(mapped[i]);
    if (from.dim(i) != 1 || dims[to] == 1) strides[to] = own[i];
    if (cx.module.shapes.has_dynamic(cx.shape()) && from.dim(i) != 1) dims[to] = from.dim(i);
  }
  Array result = cx.Make(from.type(), dims);
  StridedCopy(from.element_bytes(), dims, from.bytes(), strides, result.MutableBytes(),
              RowMajorStrides(dims));
  return Value(std::move(result));
}

Result<Value> EvalReshape(OpContext& cx) {
  Dims dims = DeclaredDims(cx);
  if (ElementsIn(dims) != cx.array(0).count()) {
    // A dynamic dimension takes the elements that the other dimensions leave over.
    int64_t rest = cx.array(0).count();
    size_t dynamic = dims.size();
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dynamic == dims.size() && cx.module.shapes.is_dynamic(cx.shape(), i)) {
        dynamic = i;
      } else {
        rest = dims[i] == 0 ? 0 : rest / dims[i];
      }
    }
    if (dynamic < dims.size()) dims[dynamic] = rest;
    if (ElementsIn(dims) != cx.array(0).count()) {
      return cx.Fail(diag::kCannotEvaluate, "the elements do not fill the result");
    }
  }
  return Value(cx.array(0).Reshaped(dims));
}

Result<Value> EvalTranspose(OpContext& cx) {
  MatchTypes(cx, 0, 1);
  return Value(Transposed(cx, cx.array(0), cx.ints(AttrKey::k_dimensions)));
}

Result<Value> EvalReverse(OpContext& cx) {
  MatchTypes(cx, 0, 1);
  const Array& from = cx.array(0);
  Dims strides = RowMajorStrides(from.dims());
  const Dims to_strides = strides;
  int64_t offset = 0;
  for (const int64_t dim : cx.ints(AttrKey::k_dimensions)) {
    const auto d = static_cast<size_t>(dim);
    offset += strides[d] * (from.dim(d) - 1);
    strides[d] = -strides[d];
  }
  Array result = cx.Make(from.type(), from.dims());
  if (from.count() != 0) {
    StridedCopy(from.element_bytes(), from.dims(),
                from.bytes() + offset * static_cast<int64_t>(from.element_bytes()), strides,
                result.MutableBytes(), to_strides);
  }
  return Value(std::move(result));
}

Result<Value> EvalSlice(OpContext& cx) {
  MatchTypes(cx, 0, 1);
  const Array& from = cx.array(0);
  const std::span<const int64_t> bounds = cx.ints(AttrKey::k_slice);
  Dims strides = RowMajorStrides(from.dims());
  Dims dims;
  int64_t offset = 0;
  for (size_t i = 0; i < from.rank(); ++i) {
    const int64_t step = std::max<int64_t>(1, bounds[3 * i + 2]);
    const int64_t start = std::min(bounds[3 * i], from.dim(i));
    const int64_t limit = std::min(bounds[3 * i + 1], from.dim(i));
    dims.push_back(std::max<int64_t>(0, (limit - start + step - 1) / step));
    offset += start * strides[i];
    strides[i] *= step;
  }
  Array result = cx.Make(from.type(), dims);
  StridedCopy(from.element_bytes(), dims,
              from.bytes() + offset * static_cast<int64_t>(from.element_bytes()), strides,
              result.MutableBytes(), RowMajorStrides(dims));
  return Value(std::move(result));
}

Result<Value> EvalDynamicSlice(OpContext& cx) {
  MatchTypes(cx, 0, 1);
  const Array& from = cx.array(0);
  Dims dims(cx.ints(AttrKey::k_dynamic_slice_sizes).begin(),
            cx.ints(AttrKey::k_dynamic_slice_sizes).end());
  if (!StartsFit(cx, 1, from.rank()) || dims.size() != from.rank()) {
    return cx.Fail(diag::kCannotEvaluate, "starts and sizes do not fit the operand's rank");
  }
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = std::min(dims[i], from.dim(i));
  const Dims strides = RowMajorStrides(from.dims());
  const int64_t offset = OffsetOf(StartsOf(cx, 1, from.dims(), dims), strides);
  Array result = cx.Make(from.type(), dims);
  StridedCopy(from.element_bytes(), dims,
              from.bytes() + offset * static_cast<int64_t>(from.element_bytes()), strides,
              result.MutableBytes(), RowMajorStrides(dims));
  return Value(std::move(result));
}

Result<Value> EvalDynamicUpdateSlice(OpContext& cx) {
  MatchTypes(cx, 0, 2);
  const Array& update = cx.array(1);
  if (!StartsFit(cx, 2, update.rank()) || update.rank() != cx.array(0).rank()) {
    return cx.Fail(diag::kCannotEvaluate, "starts and update do not fit the operand's rank");
  }
  const Dims starts = StartsOf(cx, 2, cx.array(0).dims(), update.dims());
  for (size_t i = 0; i < starts.size(); ++i) {
    if (update.dim(i) > cx.array(0).dim(i)) {
      return cx.Fail(diag::kCannotEvaluate, "the update is larger than the operand");
    }
  }
  Array result = std::move(cx.operand(0).array());
  const Dims strides = RowMajorStrides(result.dims());
  uint8_t* to = result.MutableBytes() +
                OffsetOf(starts, strides) * static_cast<int64_t>(result.element_bytes());
  StridedCopy(result.element_bytes(), update.dims(), update.bytes(), RowMajorStrides(update.dims()),
              to, strides);
  return Value(std::move(result));
}

Result<Value> EvalConcatenate(OpContext& cx) {
  MatchTypes(cx, 0, cx.operands.size());
  const auto along = static_cast<size_t>(cx.ints(AttrKey::k_dimensions)[0]);
  Dims dims(cx.array(0).dims().begin(), cx.array(0).dims().end());
  dims[along] = 0;
  for (size_t i = 0; i < cx.operands.size(); ++i) dims[along] += cx.array(i).dim(along);
  Array result = cx.Make(cx.type(), dims);
  const Dims strides = RowMajorStrides(dims);
  uint8_t* to = result.MutableBytes();
  for (size_t i = 0; i < cx.operands.size(); ++i) {
    const Array& part = cx.array(i);
    StridedCopy(part.element_bytes(), part.dims(), part.bytes(), RowMajorStrides(part.dims()), to,
                strides);
    to += part.dim(along) * strides[along] * static_cast<int64_t>(part.element_bytes());
  }
  return Value(std::move(result));
}

// Negative padding removes elements; interior padding spreads them.
Result<Value> EvalPad(OpContext& cx) {
  MatchTypes(cx, 0, 2);
  const Array& from = cx.array(0);
  const Array& padding = cx.array(1);
  const std::span<const int64_t> config = cx.ints(AttrKey::k_padding);
  Dims dims;
  Dims inner;  // number of operand elements kept
  Dims from_strides = RowMajorStrides(from.dims());
  int64_t from_offset = 0;
  Dims first_to;
  for (size_t i = 0; i < from.rank(); ++i) {
    const int64_t low = config[3 * i];
    const int64_t high = config[3 * i + 1];
    const int64_t step = config[3 * i + 2] + 1;
    const int64_t size = from.dim(i);
    const int64_t spread = size == 0 ? 0 : (size - 1) * step + 1;
    const int64_t extent = std::max<int64_t>(0, spread + low + high);
    dims.push_back(extent);
    const int64_t first = low >= 0 ? 0 : (-low + step - 1) / step;
    const int64_t last = extent - 1 - low >= 0 ? std::min(size - 1, (extent - 1 - low) / step) : -1;
    inner.push_back(std::max<int64_t>(0, last - first + 1));
    from_offset += first * from_strides[i];
    first_to.push_back(low + first * step);
  }
  Array result = cx.Make(from.type(), dims);
  uint8_t* to = result.MutableBytes();
  Dims to_strides = RowMajorStrides(dims);
  StridedCopy(from.element_bytes(), dims, padding.bytes(), Dims(dims.size(), 0), to, to_strides);
  if (ElementsIn(inner) == 0) return Value(std::move(result));
  const int64_t to_offset = OffsetOf(first_to, to_strides);
  for (size_t i = 0; i < dims.size(); ++i) to_strides[i] *= config[3 * i + 2] + 1;
  const auto width = static_cast<int64_t>(from.element_bytes());
  StridedCopy(from.element_bytes(), inner, from.bytes() + from_offset * width, from_strides,
              to + to_offset * width, to_strides);
  return Value(std::move(result));
}

Result<Value> EvalIota(OpContext& cx) {
  const auto along = static_cast<size_t>(cx.integer(AttrKey::k_iota_dimension, 0));
  Array result = cx.MakeResult();
  if (result.count() == 0 || along >= result.rank()) return Value(std::move(result));
  // Fills one line along the dimension, then repeats it over all others.
  const int64_t size = result.dim(along);
  Array line = cx.Make(cx.type(), std::span(&size, 1));
  for (int64_t i = 0; i < size; ++i) {
    uint8_t* to = line.MutableBytes() + static_cast<size_t>(i) * line.element_bytes();
    switch (LaneKindOf(cx.type())) {
      case LaneKind::kFloat: StoreFloat(cx.type(), static_cast<double>(i), to); break;
      case LaneKind::kComplex: StoreComplex(cx.type(), static_cast<double>(i), to); break;
      default: StoreInt(cx.type(), i, to);
    }
  }
  Dims strides(result.rank(), 0);
  strides[along] = 1;
  StridedCopy(line.element_bytes(), result.dims(), line.bytes(), strides, result.MutableBytes(),
              RowMajorStrides(result.dims()));
  return Value(std::move(result));
}

}  // namespace halo

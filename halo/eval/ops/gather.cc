// gather: each index vector selects a slice of the operand, clamped to be inside it.
#include <algorithm>
#include <utility>
#include <vector>

#include "halo/base/containers/contains.h"
#include "halo/eval/context/converted.h"
#include "halo/eval/context/ops.h"
#include "halo/eval/context/strided_copy.h"
#include "halo/eval/ops/index_vectors.h"

namespace halo {

namespace {

// How the dimensions of a slice map to those of the result.
struct SliceMap {
  Dims slice;           // sizes, one per dimension of the operand
  Dims result;          // dimensions of the result
  Dims window_strides;  // of the result, one per dimension of the operand (0: collapsed)
  Dims batch_strides;   // of the result, one per dimension of the index batch
};

SliceMap MapSlices(const OpContext& cx, std::span<const int64_t> batch) {
  const Array& operand = cx.array(0);
  const std::span<const int64_t> sizes = cx.ints(AttrKey::k_slice_sizes);
  const std::span<const int64_t> offset_dims = cx.ints(AttrKey::k_offset_dims);
  SliceMap map;
  for (size_t i = 0; i < operand.rank(); ++i) {
    map.slice.push_back(std::min(sizes[i], operand.dim(i)));
  }
  std::vector<size_t> kept;
  for (size_t i = 0; i < operand.rank(); ++i) {
    if (!Contains(cx.ints(AttrKey::k_collapsed_slice_dims), i) &&
        !Contains(cx.ints(AttrKey::k_operand_batching_dims), i)) {
      kept.push_back(i);
    }
  }
  map.result.assign(cx.dims().size(), 0);
  size_t next_batch = 0;
  for (size_t i = 0; i < map.result.size(); ++i) {
    if (!Contains(offset_dims, i)) map.result[i] = batch[next_batch++];
  }
  for (size_t i = 0; i < offset_dims.size(); ++i) {
    map.result[static_cast<size_t>(offset_dims[i])] = map.slice[kept[i]];
  }
  const Dims strides = RowMajorStrides(map.result);
  map.window_strides.assign(operand.rank(), 0);
  for (size_t i = 0; i < offset_dims.size(); ++i) {
    map.window_strides[kept[i]] = strides[static_cast<size_t>(offset_dims[i])];
  }
  for (size_t i = 0; i < map.result.size(); ++i) {
    if (!Contains(offset_dims, i)) map.batch_strides.push_back(strides[i]);
  }
  return map;
}

}  // namespace

Result<Value> EvalGather(OpContext& cx) {
  // Programs of mixed precision may declare a result of another type than the operand.
  const Array operand = Converted(cx, cx.array(0), cx.type());
  IndexVectors vectors(cx.array(1), cx.integer(AttrKey::k_index_vector_dim, 0),
                       cx.ints(AttrKey::k_start_index_map),
                       cx.ints(AttrKey::k_operand_batching_dims),
                       cx.ints(AttrKey::k_start_indices_batching_dims), operand.rank());
  const SliceMap map = MapSlices(cx, vectors.batch());
  const Dims strides = RowMajorStrides(operand.dims());
  Array result = cx.Make(cx.type(), map.result);
  if (result.count() == 0 || ElementsIn(map.slice) == 0) return Value(std::move(result));
  if (auto over = cx.Spend(result.count())) return *std::move(over);
  uint8_t* to = result.MutableBytes();
  const size_t bytes = operand.element_bytes();
  do {
    int64_t from = 0;
    const std::span<const int64_t> start = vectors.start();
    for (size_t i = 0; i < operand.rank(); ++i) {
      from += std::clamp<int64_t>(start[i], 0, operand.dim(i) - map.slice[i]) * strides[i];
    }
    int64_t at = 0;
    for (size_t i = 0; i < map.batch_strides.size(); ++i) {
      at += vectors.index()[i] * map.batch_strides[i];
    }
    StridedCopy(bytes, map.slice, operand.bytes() + static_cast<size_t>(from) * bytes, strides,
                to + static_cast<size_t>(at) * bytes, map.window_strides);
  } while (vectors.Next());
  return Value(std::move(result));
}

}  // namespace halo

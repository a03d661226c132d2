// The copy itself: a tight loop of the element's width over the innermost dimension, with the
// others iterated around it. Dimensions that are contiguous in both source and destination are
// merged first.
#include "halo/eval/context/strided_copy.h"

#include <array>
#include <cstring>
#include <vector>

namespace halo {
namespace {

struct Loop {
  int64_t size, from, to;
};

template <class T>
void CopyRow(int64_t n, const uint8_t* from, int64_t from_stride, uint8_t* to, int64_t to_stride) {
  const auto* in = reinterpret_cast<const T*>(from);
  auto* out = reinterpret_cast<T*>(to);
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(out, in, static_cast<size_t>(n) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) out[i * to_stride] = in[i * from_stride];
}

using Sixteen = std::array<uint64_t, 2>;

void CopyRowOf(size_t element_bytes, int64_t n, const uint8_t* from, int64_t from_stride,
               uint8_t* to, int64_t to_stride) {
  switch (element_bytes) {
    case 1: return CopyRow<uint8_t>(n, from, from_stride, to, to_stride);
    case 2: return CopyRow<uint16_t>(n, from, from_stride, to, to_stride);
    case 4: return CopyRow<uint32_t>(n, from, from_stride, to, to_stride);
    case 8: return CopyRow<uint64_t>(n, from, from_stride, to, to_stride);
    default: return CopyRow<Sixteen>(n, from, from_stride, to, to_stride);
  }
}

// Returns the loops, outermost first, without dimensions of size one and with adjacent dimensions
// merged; empty if there is nothing to copy.
std::vector<Loop> LoopsOf(std::span<const int64_t> dims, std::span<const int64_t> from_strides,
                          std::span<const int64_t> to_strides) {
  std::vector<Loop> loops;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    const Loop loop = {dims[i], from_strides[i], to_strides[i]};
    if (!loops.empty() && loops.back().from == loop.from * loop.size &&
        loops.back().to == loop.to * loop.size) {
      loops.back() = {loops.back().size * loop.size, loop.from, loop.to};
    } else {
      loops.push_back(loop);
    }
  }
  if (loops.empty()) loops.push_back({1, 1, 1});
  return loops;
}

}  // namespace

void StridedCopy(size_t element_bytes, std::span<const int64_t> dims, const uint8_t* from,
                 std::span<const int64_t> from_strides, uint8_t* to,
                 std::span<const int64_t> to_strides) {
  for (const int64_t dim : dims) {
    if (dim <= 0) return;
  }
  const std::vector<Loop> loops = LoopsOf(dims, from_strides, to_strides);
  const auto width = static_cast<int64_t>(element_bytes);
  const Loop row = loops.back();
  std::vector<int64_t> index(loops.size() - 1, 0);
  while (true) {
    CopyRowOf(element_bytes, row.size, from, row.from, to, row.to);
    size_t i = index.size();
    while (i-- > 0) {
      from += loops[i].from * width;
      to += loops[i].to * width;
      if (++index[i] < loops[i].size) break;
      from -= loops[i].from * loops[i].size * width;
      to -= loops[i].to * loops[i].size * width;
      index[i] = 0;
    }
    if (i == SIZE_MAX) return;
  }
}

Array Transposed(const OpContext& cx, const Array& array, std::span<const int64_t> permutation) {
  const Dims strides = RowMajorStrides(array.dims());
  Dims dims;
  Dims from;
  for (const int64_t source : permutation) {
    dims.push_back(array.dim(static_cast<size_t>(source)));
    from.push_back(strides[static_cast<size_t>(source)]);
  }
  Array result = cx.Make(array.type(), dims);
  StridedCopy(array.element_bytes(), dims, array.bytes(), from, result.MutableBytes(),
              RowMajorStrides(dims));
  return result;
}

Array ToPhysical(const OpContext& cx, const Array& array, std::span<const int64_t> minor_to_major) {
  return Transposed(cx, array, Dims(minor_to_major.rbegin(), minor_to_major.rend()));
}

Array FromPhysical(const OpContext& cx, const Array& physical, std::span<const int64_t> dims,
                   std::span<const int64_t> minor_to_major) {
  Dims stored;
  Dims inverse(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = minor_to_major[dims.size() - 1 - i];
    stored.push_back(dims[static_cast<size_t>(dim)]);
    inverse[static_cast<size_t>(dim)] = static_cast<int64_t>(i);
  }
  return Transposed(cx, physical.Reshaped(stored), inverse);
}

}  // namespace halo

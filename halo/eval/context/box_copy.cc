// Copies boxes of elements.
#include "halo/eval/context/box_copy.h"

#include <cstddef>

#include "halo/eval/context/strided_copy.h"

namespace halo {

namespace {

size_t OffsetOf(std::span<const int64_t> starts, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < starts.size(); ++i) offset += starts[i] * strides[i];
  return static_cast<size_t>(offset);
}

}  // namespace

Array TakeBox(const OpContext& cx, const Array& array, std::span<const int64_t> starts,
              std::span<const int64_t> sizes) {
  Array box = cx.Make(array.type(), sizes);
  if (box.count() == 0) return box;
  const Dims strides = RowMajorStrides(array.dims());
  const size_t bytes = array.element_bytes();
  StridedCopy(bytes, sizes, array.bytes() + OffsetOf(starts, strides) * bytes, strides,
              box.MutableBytes(), RowMajorStrides(sizes));
  return box;
}

void PutBox(const Array& box, std::span<const int64_t> starts, Array& array) {
  if (box.count() == 0) return;
  const Dims strides = RowMajorStrides(array.dims());
  const size_t bytes = array.element_bytes();
  StridedCopy(bytes, box.dims(), box.bytes(), RowMajorStrides(box.dims()),
              array.MutableBytes() + OffsetOf(starts, strides) * bytes, strides);
}

}  // namespace halo

// Computes strides from layouts and copies with them.
#include "halo/runtime/stored_array.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "halo/base/capped.h"
#include "halo/eval/context/strided_copy.h"

namespace halo {

int64_t StoredArrayBytes(const ShapeTable& shapes, ShapeId shape) {
  return ElementsIn(shapes.dims(shape)) * static_cast<int64_t>(StoredBytes(shapes.type(shape)));
}

std::vector<int64_t> StoredStrides(const ShapeTable& shapes, ShapeId shape) {
  const std::span<const int64_t> dims = shapes.dims(shape);
  const Layout* layout = shapes.layout(shape);
  if (layout == nullptr || layout->minor_to_major.size() != dims.size()) {
    return RowMajorStrides(dims);
  }
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (const int64_t dim : layout->minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride = MultiplyCapped(stride, dims[static_cast<size_t>(dim)]);
  }
  return strides;
}

bool IsStoredRowMajor(const ShapeTable& shapes, ShapeId shape) {
  const std::span<const int64_t> dims = shapes.dims(shape);
  const std::vector<int64_t> strides = StoredStrides(shapes, shape);
  const Dims plain = RowMajorStrides(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1 && strides[i] != plain[i]) return false;
  }
  return true;
}

void ArrayLeaves(const ShapeTable& shapes, ShapeId shape,  // NOLINT(misc-no-recursion)
                 std::vector<ShapeId>& out) {
  if (shapes.is_array(shape)) out.push_back(shape);
  if (!shapes.is_tuple(shape)) return;
  for (const ShapeId element : shapes.elements(shape)) ArrayLeaves(shapes, element, out);
}

void StoreArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* row_major, uint8_t* to) {
  const int64_t bytes = StoredArrayBytes(shapes, shape);
  if (bytes == 0) return;
  if (IsStoredRowMajor(shapes, shape)) {
    std::memcpy(to, row_major, static_cast<size_t>(bytes));
    return;
  }
  const std::span<const int64_t> dims = shapes.dims(shape);
  StridedCopy(StoredBytes(shapes.type(shape)), dims, row_major, RowMajorStrides(dims), to,
              StoredStrides(shapes, shape));
}

Array LoadArray(const ShapeTable& shapes, ShapeId shape, const uint8_t* from) {
  const std::span<const int64_t> dims = shapes.dims(shape);
  Array array(shapes.type(shape), dims);
  if (array.count() == 0) return array;
  if (IsStoredRowMajor(shapes, shape)) {
    std::memcpy(array.MutableBytes(), from, array.byte_count());
  } else {
    StridedCopy(array.element_bytes(), dims, from, StoredStrides(shapes, shape),
                array.MutableBytes(), RowMajorStrides(dims));
  }
  return array;
}

Value LoadValue(const ShapeTable& shapes, ShapeId shape,  // NOLINT(misc-no-recursion)
                std::span<void* const>& leaves) {
  if (shapes.is_array(shape)) {
    const auto* from = static_cast<const uint8_t*>(leaves.front());
    leaves = leaves.subspan(1);
    return LoadArray(shapes, shape, from);
  }
  if (!shapes.is_tuple(shape)) return Value::Token();
  std::vector<Value> elements;
  for (const ShapeId element : shapes.elements(shape)) {
    elements.push_back(LoadValue(shapes, element, leaves));
  }
  return Value::Tuple(std::move(elements));
}

bool StoreValue(const ShapeTable& shapes, ShapeId shape,  // NOLINT(misc-no-recursion)
                const Value& value, std::span<void* const>& leaves) {
  if (shapes.is_array(shape)) {
    auto* to = static_cast<uint8_t*>(leaves.front());
    leaves = leaves.subspan(1);
    if (!value.is_array() || value.array().type() != shapes.type(shape) ||
        !std::ranges::equal(value.array().dims(), shapes.dims(shape))) {
      return false;
    }
    StoreArray(shapes, shape, value.array().bytes(), to);
    return true;
  }
  if (!shapes.is_tuple(shape)) return true;
  const std::span<const ShapeId> parts = shapes.elements(shape);
  const std::span<const Value> elements = value.elements();
  if (parts.size() != elements.size()) return false;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!StoreValue(shapes, parts[i], elements[i], leaves)) return false;
  }
  return true;
}

}  // namespace halo

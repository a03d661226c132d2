// Descends into a shape.
#include "halo/semantics/facts/shape_index.h"

#include <algorithm>
#include <vector>

namespace halo {
namespace {

std::vector<int64_t> MinorToMajor(const ShapeTable& shapes, ShapeId shape) {
  if (const Layout* layout = shapes.layout(shape)) return layout->minor_to_major;
  std::vector<int64_t> order;
  for (size_t i = shapes.dims(shape).size(); i > 0; --i) {
    order.push_back(static_cast<int64_t>(i - 1));
  }
  return order;
}

}  // namespace

std::optional<ShapeId> Subshape(const ShapeTable& shapes, ShapeId shape,
                                std::span<const int64_t> index) {
  for (const int64_t step : index) {
    if (!shapes.is_tuple(shape)) return std::nullopt;
    const auto elements = shapes.elements(shape);
    if (step < 0 || step >= static_cast<int64_t>(elements.size())) return std::nullopt;
    shape = elements[static_cast<size_t>(step)];
  }
  return shape;
}

bool SameWithLayout(const ShapeTable& shapes, ShapeId a, ShapeId b) {
  if (a == b) return true;
  if (!shapes.is_array(a) || !shapes.is_array(b)) return false;
  return shapes.type(a) == shapes.type(b) && std::ranges::equal(shapes.dims(a), shapes.dims(b)) &&
         MinorToMajor(shapes, a) == MinorToMajor(shapes, b);
}

}  // namespace halo

// Running sums over the elements of every tuple shape.
#include "halo/shrink/dims/element_offsets.h"

namespace halo {

void ElementOffsets::Build(const ShapeTable& shapes, std::span<const uint32_t> counts) {
  begins_.reserve(shapes.size());
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    begins_.push_back(offsets_.size());
    if (!shapes.is_tuple(ShapeId(i))) continue;
    size_t offset = 0;
    for (const ShapeId part : shapes.elements(ShapeId(i))) {
      offsets_.push_back(offset);
      offset += counts[part.index()];
    }
  }
}

std::optional<ElementOffsets::Part> ElementOffsets::Find(const ShapeTable& shapes, ShapeId shape,
                                                         std::span<const int64_t> path) const {
  Part part{0, shape};
  for (const int64_t step : path) {
    if (!shapes.is_tuple(part.shape)) return std::nullopt;
    const auto parts = shapes.elements(part.shape);
    if (step < 0 || static_cast<size_t>(step) >= parts.size()) return std::nullopt;
    part.first += offsets_[begins_[part.shape.index()] + static_cast<size_t>(step)];
    part.shape = parts[static_cast<size_t>(step)];
  }
  return part;
}

}  // namespace halo

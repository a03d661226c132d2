// Where the elements of tuples begin if every shape is laid out as a row of items (dimensions, or
// arrays), element after element. Finds one in time that does not depend on the width of the tuple.
#ifndef HALO_SHRINK_DIMS_ELEMENT_OFFSETS_H_
#define HALO_SHRINK_DIMS_ELEMENT_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

class ElementOffsets {
 public:
  struct Part {
    size_t first = 0;  // relative to the beginning of the shape
    ShapeId shape;
  };

  // `counts` holds the number of items of each shape.
  void Build(const ShapeTable& shapes, std::span<const uint32_t> counts);

  // Nothing if the path does not lead to an element. The table is the one given to Build.
  [[nodiscard]] std::optional<Part> Find(const ShapeTable& shapes, ShapeId shape,
                                         std::span<const int64_t> path) const;

 private:
  std::vector<size_t> begins_;   // of each shape, in offsets_
  std::vector<size_t> offsets_;  // of each element within its tuple
};

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_ELEMENT_OFFSETS_H_

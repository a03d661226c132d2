// Arrays and tokens inside shapes, numbered in order: how many there are, which belong to an
// element of a tuple, and the shape of each.
#ifndef HALO_DIFF_GRAPH_SHAPE_LEAVES_H_
#define HALO_DIFF_GRAPH_SHAPE_LEAVES_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

struct LeafRange {
  uint32_t begin = 0, count = 0;
};

class ShapeLeaves {
 public:
  explicit ShapeLeaves(const ShapeTable& shapes) : shapes_(shapes) {}

  [[nodiscard]] uint32_t Count(ShapeId shape) { return Of(shape).leaves; }
  // The leaves of one element of a tuple; none if there is no such element.
  [[nodiscard]] LeafRange Element(ShapeId tuple, int64_t index);
  // The shape of a leaf.
  [[nodiscard]] ShapeId Leaf(ShapeId shape, uint32_t leaf);

 private:
  struct Known {
    uint32_t leaves = 0;
    std::vector<uint32_t> begins;  // of a tuple: the first leaf of each element
  };
  const Known& Of(ShapeId shape);

  const ShapeTable& shapes_;
  std::unordered_map<uint32_t, Known> known_;
};

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_SHAPE_LEAVES_H_

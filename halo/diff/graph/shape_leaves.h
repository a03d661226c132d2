// Arrays and tokens inside shapes, numbered in order: how many there are, which belong to an
// element of a tuple, and the shape of each. The cost of a question does not depend on the width of
// a tuple that was asked for before.
#ifndef HALO_DIFF_GRAPH_SHAPE_LEAVES_H_
#define HALO_DIFF_GRAPH_SHAPE_LEAVES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // The element of a tuple that a leaf belongs to; past the last one if there is no such leaf.
  [[nodiscard]] size_t ElementOf(ShapeId tuple, uint32_t leaf);
  // The leaf that is this node of the shape in pre-order; none if the node is a tuple.
  [[nodiscard]] std::optional<uint32_t> LeafAtNode(ShapeId shape, uint32_t node);

 private:
  struct Known {
    uint32_t leaves = 0;
    uint32_t nodes = 1;            // leaves and tuples, with this one
    std::vector<uint32_t> begins;  // of a tuple: the first leaf of each element
    std::vector<uint32_t> node_begins;
  };
  const Known& Of(ShapeId shape);

  const ShapeTable& shapes_;
  std::unordered_map<uint32_t, Known> known_;
};

}  // namespace halo

#endif  // HALO_DIFF_GRAPH_SHAPE_LEAVES_H_

// Shapes as trees in pre-order: node 0 is the shape itself, followed by each element with
// everything below it. A position in an instruction's result is a node number, so copying a tuple's
// element means copying a range of nodes.
#ifndef HALO_ANALYSIS_DATAFLOW_SHAPE_TREES_H_
#define HALO_ANALYSIS_DATAFLOW_SHAPE_TREES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

class ShapeTrees {
 public:
  explicit ShapeTrees(const ShapeTable& shapes);

  // False if some shape has more nodes than any real program has; the trees are then unusable.
  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] uint32_t count(ShapeId shape) const { return counts_[shape.index()]; }
  [[nodiscard]] ShapeId shape_at(ShapeId shape, uint32_t node) const {
    return node == 0 ? shape : nodes_[begins_[shape.index()] + node].shape;
  }
  // The node of element `element` of a tuple; nullopt if there is none.
  [[nodiscard]] std::optional<uint32_t> Child(ShapeId shape, int64_t element) const;
  // The node at `index`.
  [[nodiscard]] std::optional<uint32_t> NodeAt(ShapeId shape, std::span<const int64_t> index) const;
  // The index of a node, as steps from the top.
  void Path(ShapeId shape, uint32_t node, std::vector<int64_t>& steps) const;
  // The first step on the way to a node other than 0.
  [[nodiscard]] int64_t FirstStep(ShapeId shape, uint32_t node) const;

 private:
  struct Node {
    ShapeId shape;
    uint32_t parent;
    uint32_t step;  // which element of the parent
  };

  const ShapeTable& shapes_;
  std::vector<uint32_t> counts_;
  std::vector<size_t> begins_;  // start of a tuple's nodes; other shapes have no stored nodes
  std::vector<Node> nodes_;
  bool ok_ = true;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_DATAFLOW_SHAPE_TREES_H_

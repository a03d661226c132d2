// Interning orders elements before tuples, so one pass over the table sees every element first.
#include "halo/analysis/dataflow/shape_trees.h"

#include <algorithm>

namespace halo {
namespace {

constexpr size_t kMaxNodes = size_t{1} << 26;

}  // namespace

ShapeTrees::ShapeTrees(const ShapeTable& shapes) : shapes_(shapes) {
  counts_.assign(shapes.size(), 1);
  begins_.assign(shapes.size(), 0);
  for (size_t i = 0; i < shapes.size(); ++i) {
    const ShapeId shape(i);
    if (!shapes.is_tuple(shape)) continue;
    size_t count = 1;
    for (const ShapeId element : shapes.elements(shape)) count += counts_[element.index()];
    if (nodes_.size() + count > kMaxNodes) {
      ok_ = false;
      return;
    }
    counts_[i] = static_cast<uint32_t>(count);
    begins_[i] = nodes_.size();
    nodes_.push_back({shape, 0, 0});
    uint32_t step = 0;
    for (const ShapeId element : shapes.elements(shape)) {
      const auto child = static_cast<uint32_t>(nodes_.size() - begins_[i]);
      nodes_.push_back({element, 0, step++});
      for (uint32_t node = 1; node < counts_[element.index()]; ++node) {
        Node below = nodes_[begins_[element.index()] + node];
        below.parent += child;
        nodes_.push_back(below);
      }
    }
  }
}

std::optional<uint32_t> ShapeTrees::Child(ShapeId shape, int64_t element) const {
  if (!shapes_.is_tuple(shape)) return std::nullopt;
  const std::span<const ShapeId> elements = shapes_.elements(shape);
  if (element < 0 || static_cast<size_t>(element) >= elements.size()) return std::nullopt;
  // Elements of flat tuples are found directly, others by adding up node counts.
  if (counts_[shape.index()] == elements.size() + 1) return static_cast<uint32_t>(element) + 1;
  uint32_t node = 1;
  for (int64_t i = 0; i < element; ++i) node += counts_[elements[static_cast<size_t>(i)].index()];
  return node;
}

std::optional<uint32_t> ShapeTrees::NodeAt(ShapeId shape, std::span<const int64_t> index) const {
  uint32_t node = 0;
  for (const int64_t step : index) {
    const ShapeId here = shape_at(shape, node);
    const std::optional<uint32_t> child = Child(here, step);
    if (!child) return std::nullopt;
    node += *child;
  }
  return node;
}

void ShapeTrees::Path(ShapeId shape, uint32_t node, std::vector<int64_t>& steps) const {
  steps.clear();
  const size_t begin = begins_[shape.index()];
  while (node != 0) {
    steps.push_back(nodes_[begin + node].step);
    node = nodes_[begin + node].parent;
  }
  std::reverse(steps.begin(), steps.end());
}

int64_t ShapeTrees::FirstStep(ShapeId shape, uint32_t node) const {
  const size_t begin = begins_[shape.index()];
  while (nodes_[begin + node].parent != 0) node = nodes_[begin + node].parent;
  return nodes_[begin + node].step;
}

}  // namespace halo

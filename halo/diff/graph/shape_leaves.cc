// Shapes are interned after their elements, so a shape's elements have smaller ids and counting
// ends; the depth of a shape is bounded by its readers.
#include "halo/diff/graph/shape_leaves.h"

#include <algorithm>

namespace halo {
namespace {

// More leaves than any program has; a hostile shape must not overflow the count.
constexpr uint32_t kMostLeaves = 1u << 24;

}  // namespace

const ShapeLeaves::Known& ShapeLeaves::Of(ShapeId shape) {
  if (const auto found = known_.find(shape.value); found != known_.end()) return found->second;
  std::vector<ShapeId> open = {shape};
  while (!open.empty()) {
    const ShapeId at = open.back();
    if (known_.contains(at.value)) {
      open.pop_back();
      continue;
    }
    Known made;
    if (!at.valid() || at.index() >= shapes_.size() || !shapes_.is_tuple(at)) {
      made.leaves = 1;
    } else {
      bool ready = true;
      for (const ShapeId element : shapes_.elements(at)) {
        if (known_.contains(element.value)) continue;
        open.push_back(element);
        ready = false;
      }
      if (!ready) continue;
      for (const ShapeId element : shapes_.elements(at)) {
        const Known& own = known_[element.value];
        made.begins.push_back(made.leaves);
        made.node_begins.push_back(made.nodes);
        made.leaves = std::min(made.leaves + own.leaves, kMostLeaves);
        made.nodes = std::min(made.nodes + own.nodes, 2 * kMostLeaves);
      }
    }
    known_.emplace(at.value, std::move(made));
    open.pop_back();
  }
  return known_[shape.value];
}

LeafRange ShapeLeaves::Element(ShapeId tuple, int64_t index) {
  const Known& known = Of(tuple);
  if (index < 0 || static_cast<size_t>(index) >= known.begins.size()) return {};
  const auto at = static_cast<size_t>(index);
  const uint32_t end = at + 1 < known.begins.size() ? known.begins[at + 1] : known.leaves;
  return {known.begins[at], end - known.begins[at]};
}

size_t ShapeLeaves::ElementOf(ShapeId tuple, uint32_t leaf) {
  const Known& known = Of(tuple);
  if (leaf >= known.leaves) return known.begins.size();
  // Empty tuples share a beginning with what follows: the last element that begins there counts.
  const auto next = std::upper_bound(known.begins.begin(), known.begins.end(), leaf);
  return static_cast<size_t>(next - known.begins.begin()) - 1;
}

std::optional<uint32_t> ShapeLeaves::LeafAtNode(ShapeId shape, uint32_t node) {
  uint32_t leaf = 0;
  while (shape.valid() && shape.index() < shapes_.size() && shapes_.is_tuple(shape)) {
    const Known& known = Of(shape);
    if (node == 0 || node >= known.nodes) return std::nullopt;
    const auto next = std::upper_bound(known.node_begins.begin(), known.node_begins.end(), node);
    const auto at = static_cast<size_t>(next - known.node_begins.begin()) - 1;
    leaf += known.begins[at];
    node -= known.node_begins[at];
    shape = shapes_.elements(shape)[at];
  }
  if (node != 0) return std::nullopt;
  return leaf;
}

ShapeId ShapeLeaves::Leaf(ShapeId shape, uint32_t leaf) {
  while (shape.valid() && shape.index() < shapes_.size() && shapes_.is_tuple(shape)) {
    const size_t at = ElementOf(shape, leaf);
    if (at >= Of(shape).begins.size()) return {};
    leaf -= Of(shape).begins[at];
    shape = shapes_.elements(shape)[at];
  }
  return shape;
}

}  // namespace halo

// Offsets are kept per tuple shape and filled in when it is first asked about.
#include "halo/semantics/facts/tuple_leaves.h"

#include <algorithm>

namespace halo {

size_t TupleLeaves::CountOf(ShapeId shape) {
  return shapes_.is_tuple(shape) ? OffsetsOf(shape, 0).back() : 1;
}

size_t TupleLeaves::Before(ShapeId tuple, size_t element) {
  const std::vector<size_t>& offsets = OffsetsOf(tuple, 0);
  return offsets[std::min(element, offsets.size() - 1)];
}

const std::vector<size_t>& TupleLeaves::OffsetsOf(ShapeId tuple, int depth) {
  std::vector<size_t>& offsets = offsets_[tuple.index()];
  if (!offsets.empty()) return offsets;
  size_t sum = 0;
  offsets.push_back(0);
  for (const ShapeId element : shapes_.elements(tuple)) {
    if (!shapes_.is_tuple(element)) {
      ++sum;
    } else if (depth < kMaxDepth) {
      sum += OffsetsOf(element, depth + 1).back();
    }
    sum = std::min(sum, kMost + 1);
    offsets.push_back(sum);
  }
  return offsets;
}

}  // namespace halo

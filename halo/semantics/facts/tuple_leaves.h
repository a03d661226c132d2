// Counts the leaves of tuple shapes, the arrays and tokens left after flattening, and says where
// those of an element begin. Which values the leaves hold is left to the callers.
#ifndef HALO_SEMANTICS_FACTS_TUPLE_LEAVES_H_
#define HALO_SEMANTICS_FACTS_TUPLE_LEAVES_H_

#include <cstddef>
#include <vector>

#include "halo/ir/types/shape.h"

namespace halo {

// Each tuple shape is flattened once, so that asking about every element of a wide tuple stays
// linear. Shapes added to the table later are unknown to it.
class TupleLeaves {
 public:
  // Counts never exceed kMost + 1; tuples nested deeper than kMaxDepth have no leaves.
  static constexpr size_t kMost = size_t{1} << 26;
  static constexpr int kMaxDepth = 64;

  explicit TupleLeaves(const ShapeTable& shapes) : shapes_(shapes), offsets_(shapes.size()) {}

  [[nodiscard]] size_t CountOf(ShapeId shape);
  // How many leaves of a tuple come before one of its elements.
  [[nodiscard]] size_t Before(ShapeId tuple, size_t element);

 private:
  const std::vector<size_t>& OffsetsOf(ShapeId tuple, int depth);

  const ShapeTable& shapes_;
  std::vector<std::vector<size_t>> offsets_;  // by shape; one more than the tuple has elements
};

}  // namespace halo

#endif  // HALO_SEMANTICS_FACTS_TUPLE_LEAVES_H_

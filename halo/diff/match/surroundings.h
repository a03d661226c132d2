// Digests of what is around a value: of everything computed from it, and of its neighbours up to a
// few steps away. Values with very many users look no further through them.
#ifndef HALO_DIFF_MATCH_SURROUNDINGS_H_
#define HALO_DIFF_MATCH_SURROUNDINGS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "halo/diff/graph/class_graph.h"

namespace halo {

inline constexpr int kSteps = 3;

struct Surroundings {
  explicit Surroundings(const ClassGraph& graph);

  std::vector<uint64_t> uses;                        // 0: the value is not used
  std::array<std::vector<uint64_t>, kSteps> around;  // within 1, 2, 3 steps
};

}  // namespace halo

#endif  // HALO_DIFF_MATCH_SURROUNDINGS_H_

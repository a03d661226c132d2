// Finds ranges of a sequence that repeat back to back: layer after layer of a program, given as one
// number per instruction. What equal numbers mean is left to the caller.
#ifndef HALO_VIEW_GRAPH_REPEATS_H_
#define HALO_VIEW_GRAPH_REPEATS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace halo::view {

struct Repeat {
  uint32_t first = 0;
  uint32_t period = 0;
  uint32_t count = 0;
  friend bool operator==(const Repeat&, const Repeat&) = default;
};

struct RepeatOptions {
  uint32_t longest_period = UINT32_MAX;
  // For each position, how many values are carried across the boundary before it. Among equally
  // good starts of a repetition, the one that carries the fewest is chosen. May be empty.
  std::span<const uint32_t> carried = {};
  // Whether two equal items also relate to their surroundings in the same way; may be empty.
  std::function<bool(uint32_t, uint32_t)> same = {};
};

// Disjoint and ascending; only repetitions worth showing as one. Near-linear.
std::vector<Repeat> FindRepeats(std::span<const uint64_t> sequence,
                                const RepeatOptions& options = {});

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_REPEATS_H_

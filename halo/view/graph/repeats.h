// Stretches of a sequence that repeat back to back: layer after layer of a program, given as one
// number for each instruction. What equal numbers mean is the caller's.
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
  // For each position, how much is carried over the boundary before it; of the places where a
  // repetition may as well begin, the least is taken. May be empty.
  std::span<const uint32_t> carried = {};
  // Whether two items that are equal also stand to what is around them alike; may be empty.
  std::function<bool(uint32_t, uint32_t)> same = {};
};

// Disjoint, ascending; only those worth showing as one. Near-linear.
std::vector<Repeat> FindRepeats(std::span<const uint64_t> sequence,
                                const RepeatOptions& options = {});

}  // namespace halo::view

#endif  // HALO_VIEW_GRAPH_REPEATS_H_

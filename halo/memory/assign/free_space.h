// The free ranges of an unbounded address space. The smallest range that fits is found at once, and
// a range given back is merged with its neighbours.
#ifndef HALO_MEMORY_ASSIGN_FREE_SPACE_H_
#define HALO_MEMORY_ASSIGN_FREE_SPACE_H_

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "halo/base/round_up.h"

namespace halo {

class FreeSpace {
 public:
  explicit FreeSpace(int64_t alignment) : alignment_(alignment) { Add(0, kEnd); }

  struct Piece {
    int64_t begin = 0;  // of the taken range, including padding before the offset
    int64_t offset = 0;
    int64_t end = 0;
  };

  // The smallest free range that holds `size` aligned bytes; the lowest one on a tie.
  [[nodiscard]] Piece Find(int64_t size) const {
    const auto found = by_size_.lower_bound({size, 0});
    const int64_t begin = found->second;
    const int64_t offset = Align(begin);
    return {begin, offset, offset + size};
  }

  void Take(const Piece& piece) {
    const auto range = std::prev(by_offset_.upper_bound(piece.begin));
    const auto [begin, end] = *range;
    Remove(range);
    if (piece.end < end) Add(piece.end, end);
    if (begin < piece.begin) Add(begin, piece.begin);
  }

  void GiveBack(const Piece& piece) {
    int64_t begin = piece.begin, end = piece.end;
    const auto above = by_offset_.find(end);
    if (above != by_offset_.end()) {
      end = above->second;
      Remove(above);
    }
    const auto next = by_offset_.lower_bound(begin);
    if (next != by_offset_.begin() && std::prev(next)->second >= begin) {
      const auto below = std::prev(next);
      begin = below->first;
      Remove(below);
    }
    Add(begin, end);
  }

 private:
  static constexpr int64_t kEnd = std::numeric_limits<int64_t>::max() / 2;

  [[nodiscard]] int64_t Align(int64_t offset) const { return RoundUp(offset, alignment_); }
  void Add(int64_t begin, int64_t end) {
    by_offset_.emplace(begin, end);
    by_size_.emplace(end - Align(begin), begin);
  }
  void Remove(std::map<int64_t, int64_t>::iterator range) {
    by_size_.erase({range->second - Align(range->first), range->first});
    by_offset_.erase(range);
  }

  int64_t alignment_;
  std::map<int64_t, int64_t> by_offset_;           // begin to end
  std::set<std::pair<int64_t, int64_t>> by_size_;  // aligned size, begin
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_FREE_SPACE_H_

// XLA's heap: a record of what is taken and given back in which order, then placed whole at once,
// the largest (or the longest-lived) first, each in the smallest gap that fits it. Imitated
// exactly, ties included; better placements are pack.h's business.
#ifndef HALO_MEMORY_ASSIGN_HEAP_H_
#define HALO_MEMORY_ASSIGN_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halo {

class Heap {
 public:
  enum class Order : uint8_t { kSpatial, kTemporal, kByStart };

  struct Placement {
    int64_t size = 0;                     // of the heap
    std::vector<int64_t> offsets, sizes;  // by interval
  };

  // Each returns the number of an interval; time passes with every call. `key` breaks ties.
  uint32_t Take(int64_t size, int64_t key);
  // Takes the place of `with`, whose interval goes on to be its own.
  uint32_t Share(uint32_t with, int64_t size, int64_t key);
  void GiveBack(uint32_t interval);

  [[nodiscard]] size_t size() const { return intervals_.size(); }
  [[nodiscard]] Placement Place(Order order, int64_t alignment) const;
  // The smaller of the first two orders; the first if they are equal.
  [[nodiscard]] Placement PlaceBest(int64_t alignment) const;
  // In order of time, each group as one stretch from its first to its last moment: quick, and what
  // TPU does first since 2026.
  [[nodiscard]] Placement PlaceByTime(int64_t alignment) const;

 private:
  struct Group {
    int64_t size, max_size, key, duration, first, last;
    std::vector<uint32_t> members;
  };

  [[nodiscard]] std::vector<Group> SortedGroups(Order order) const;
  struct Interval {
    int64_t size = 0;
    int64_t key = 0;
    int64_t start = -1, end = -1;  // -1: takes no room, or never given back
    uint32_t root = 0;             // the interval whose place it shares; itself if none
  };

  std::vector<Interval> intervals_;
  int64_t clock_ = 0;
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_HEAP_H_

// XLA's heap: it records the order of allocations and frees, then places everything at once, the
// largest (or the longest-lived) first, each in the smallest gap that fits. This is an exact
// imitation, including tie-breaking; better placements are left to pack.h.
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

  // Each returns the number of an interval; every call advances the time. `key` breaks ties.
  uint32_t Take(int64_t size, int64_t key);
  // Reuses the offset of `with`, whose interval continues as the new one.
  uint32_t Share(uint32_t with, int64_t size, int64_t key);
  void GiveBack(uint32_t interval);

  [[nodiscard]] size_t size() const { return intervals_.size(); }
  [[nodiscard]] Placement Place(Order order, int64_t alignment) const;
  // The smaller of the first two orders; the first on a tie.
  [[nodiscard]] Placement PlaceBest(int64_t alignment) const;
  // In order of time, each group as one range from its first to its last time. This is fast, and it
  // is what TPU tries first since 2026.
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
    int64_t start = -1, end = -1;  // -1: takes no memory, or is never freed
    uint32_t root = 0;             // the interval whose offset it shares; itself if none
  };

  std::vector<Interval> intervals_;
  int64_t clock_ = 0;
};

}  // namespace halo

#endif  // HALO_MEMORY_ASSIGN_HEAP_H_

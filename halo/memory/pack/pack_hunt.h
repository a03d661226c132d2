// Looks for lower packings of one component: decides which heights to request from the search, with
// which strategy, and for how long each. Strategies take turns with growing limits, because each is
// hopeless on some problems and instant on others. The caller decides when to stop altogether.
#ifndef HALO_MEMORY_PACK_PACK_HUNT_H_
#define HALO_MEMORY_PACK_PACK_HUNT_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "halo/memory/pack/pack_search.h"

namespace halo {

class PackHunt {
 public:
  // `height` is what an existing packing reaches.
  PackHunt(const PackModel& model, const PackComponent& component, int64_t height);

  // One attempt at a height no lower than `goal`, with at most `nodes` nodes. True if it changed
  // height() or bound().
  bool Try(int64_t goal, uint64_t nodes, const std::function<bool()>& stop);

  [[nodiscard]] int64_t height() const { return height_; }
  [[nodiscard]] int64_t bound() const { return bound_; }
  [[nodiscard]] const std::vector<int64_t>& offsets() const { return offsets_; }  // empty at first
  [[nodiscard]] uint64_t nodes() const { return search_.nodes(); }  // of the last attempt

 private:
  int64_t NextTarget(int64_t goal);

  PackSearch search_;
  std::vector<int64_t> raw_sizes_;
  std::vector<int64_t> offsets_;
  int64_t height_;
  int64_t bound_;
  int64_t target_ = -1;  // -1: start at the bottom
  uint64_t turn_ = 0;    // of the strategies, at this target
  uint64_t round_ = 0;   // how many times all targets were tried
  uint64_t tries_ = 0;
};

}  // namespace halo

#endif  // HALO_MEMORY_PACK_PACK_HUNT_H_

// What is under way when a computation begins or ends: how long each queue stays busy, and
// asynchronous work that is handed on in the state of a loop.
#ifndef HALO_COST_TIMELINE_UNDER_WAY_H_
#define HALO_COST_TIMELINE_UNDER_WAY_H_

#include <array>
#include <cstdint>
#include <vector>

#include "halo/base/ids.h"
#include "halo/cost/timeline/queues.h"

namespace halo {

struct BusyQueue {
  double left = 0;     // seconds; 0: idle
  uint32_t owner = 0;  // the instruction whose work is last in it, if it is busy
  friend auto operator<=>(const BusyQueue&, const BusyQueue&) = default;
};

// Work behind element `index` of the state of a loop.
struct CarriedWork {
  int64_t index = 0;
  double left = 0;
  uint32_t owner = 0;
  uint32_t queues = 0;
  friend auto operator<=>(const CarriedWork&, const CarriedWork&) = default;
};

struct UnderWay {
  std::array<BusyQueue, kQueues> queues;
  std::vector<CarriedWork> carried;
  [[nodiscard]] bool idle() const { return *this == UnderWay(); }
  // The same `seconds` later.
  void Pass(double seconds) {
    for (BusyQueue& each : queues) {
      each.left -= seconds;
      if (each.left <= 0) each = BusyQueue();
    }
    for (CarriedWork& each : carried) each.left = each.left > seconds ? each.left - seconds : 0;
  }
  friend auto operator<=>(const UnderWay&, const UnderWay&) = default;
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_UNDER_WAY_H_

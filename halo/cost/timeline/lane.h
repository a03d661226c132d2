// The queues of one device while a computation runs: kernels one after the other, work in other
// queues, and waits for it.
#ifndef HALO_COST_TIMELINE_LANE_H_
#define HALO_COST_TIMELINE_LANE_H_

#include <array>
#include <map>
#include <vector>

#include "halo/cost/timeline/step_timeline.h"
#include "halo/cost/timeline/under_way.h"

namespace halo {

// A multiple of 2^-46 s, so that sums up to 128 s are exact and equal states compare equal.
double ExactSeconds(double seconds);

class Lane {
 public:
  explicit Lane(const UnderWay& before);

  [[nodiscard]] double now() const { return now_; }
  [[nodiscard]] double exposed() const { return exposed_; }
  [[nodiscard]] double stalled() const { return stalled_; }

  void Kernel(InstId inst, double seconds, double gap);
  // Puts work into queues as soon as all of them are free; returns its event.
  uint32_t Issue(InstId inst, double seconds, QueueSet queues);
  // Kernels wait until a transfer has ended; nothing happens for kNoEvent.
  void Wait(uint32_t transfer);
  void WaitForAll();
  // A call or a loop that takes `seconds` and leaves `after` under way.
  void Call(InstId inst, EventKind kind, uint32_t link, double seconds, const UnderWay& after);

  // What is under way now, without what the state of loops carries.
  [[nodiscard]] UnderWay Left() const;
  // The work behind element `index` of the computation's parameter; kNoEvent if there is none.
  [[nodiscard]] uint32_t Carried(int64_t index) const;
  [[nodiscard]] CarriedWork Carry(uint32_t transfer, int64_t index) const;
  // Work that a loop handed back; returns its event.
  uint32_t Resume(const CarriedWork& work);

  // Marks the events on the longest path through the frame, from its end.
  void MarkCriticalPath();
  // Appends the events to `all`; links to events become positions in it.
  void Store(std::vector<ScheduledEvent>& all, uint32_t& first, uint32_t& count);

 private:
  void Occupy(const UnderWay& before);

  double now_ = 0, exposed_ = 0, stalled_ = 0;
  std::vector<ScheduledEvent> events_;
  std::array<uint32_t, kQueues> last_ = {};  // the event that ends last in each queue
  std::map<int64_t, uint32_t> carried_;
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_LANE_H_

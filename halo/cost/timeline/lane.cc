// A transfer begins when its start is reached and the last one in each of its queues has ended. It
// remembers the one that it waited for, so that exposed time can be counted for the work that took
// it, and the longest path can be followed back.
#include "halo/cost/timeline/lane.h"

#include <algorithm>
#include <cmath>

namespace halo {
namespace {

constexpr double kTick = 1.0 / (int64_t{1} << 46);
constexpr double kLongest = 1e9;

}  // namespace

double ExactSeconds(double seconds) {
  if (!(seconds > 0)) return 0;
  return std::floor(std::min(seconds, kLongest) / kTick + 0.5) * kTick;
}

Lane::Lane(const UnderWay& before) {
  last_.fill(kNoEvent);
  Occupy(before);
  for (const CarriedWork& each : before.carried) carried_[each.index] = Resume(each);
}

void Lane::Occupy(const UnderWay& before) {
  for (size_t q = 0; q < kQueues; ++q) {
    const BusyQueue& busy = before.queues[q];
    if (busy.left <= 0) continue;
    ScheduledEvent event;
    event.begin = now_;
    event.end = now_ + busy.left;
    event.inst = InstId(busy.owner);
    event.kind = EventKind::kTransfer;
    event.is_carried = true;
    event.queues.Add(static_cast<Queue>(q));
    last_[q] = static_cast<uint32_t>(events_.size());
    events_.push_back(event);
  }
}

void Lane::Kernel(InstId inst, double seconds, double gap) {
  ScheduledEvent event;
  event.begin = now_;
  event.end = now_ + seconds;
  event.inst = inst;
  events_.push_back(event);
  now_ = event.end + gap;
}

uint32_t Lane::Issue(InstId inst, double seconds, QueueSet queues) {
  ScheduledEvent event;
  event.begin = now_;
  event.inst = inst;
  event.kind = EventKind::kTransfer;
  event.queues = queues;
  event.issued = static_cast<uint32_t>(events_.size());
  for (size_t q = 0; q < kQueues; ++q) {
    if (!queues.Has(static_cast<Queue>(q)) || last_[q] == kNoEvent) continue;
    if (events_[last_[q]].end <= event.begin) continue;
    event.begin = events_[last_[q]].end;
    event.link = last_[q];
  }
  event.end = event.begin + seconds;
  for (size_t q = 0; q < kQueues; ++q) {
    if (queues.Has(static_cast<Queue>(q))) last_[q] = event.issued;
  }
  events_.push_back(event);
  return event.issued;
}

void Lane::Wait(uint32_t transfer) {
  if (transfer == kNoEvent || events_[transfer].end <= now_) return;
  ScheduledEvent event;
  event.begin = now_;
  event.end = events_[transfer].end;
  event.inst = events_[transfer].inst;
  event.kind = EventKind::kWait;
  event.link = transfer;
  (events_[transfer].queues.communicates() ? exposed_ : stalled_) += event.end - event.begin;
  now_ = event.end;
  events_.push_back(event);
}

void Lane::WaitForAll() {
  for (const uint32_t transfer : last_) Wait(transfer);
}

void Lane::Call(InstId inst, EventKind kind, uint32_t link, double seconds, const UnderWay& after) {
  ScheduledEvent event;
  event.begin = now_;
  event.end = now_ + seconds;
  event.inst = inst;
  event.kind = kind;
  event.link = link;
  events_.push_back(event);
  now_ = event.end;
  last_.fill(kNoEvent);
  Occupy(after);
}

UnderWay Lane::Left() const {
  UnderWay left;
  for (size_t q = 0; q < kQueues; ++q) {
    if (last_[q] == kNoEvent || events_[last_[q]].end <= now_) continue;
    left.queues[q] = {events_[last_[q]].end - now_, events_[last_[q]].inst.value};
  }
  return left;
}

uint32_t Lane::Carried(int64_t index) const {
  const auto found = carried_.find(index);
  return found == carried_.end() ? kNoEvent : found->second;
}

CarriedWork Lane::Carry(uint32_t transfer, int64_t index) const {
  const ScheduledEvent& event = events_[transfer];
  return {index, std::max(event.end - now_, 0.0), event.inst.value, event.queues.bits()};
}

uint32_t Lane::Resume(const CarriedWork& work) {
  ScheduledEvent event;
  event.begin = now_;
  event.end = now_ + work.left;
  event.inst = InstId(work.owner);
  event.kind = EventKind::kTransfer;
  event.is_carried = true;
  event.queues = QueueSet(work.queues);
  events_.push_back(event);
  return static_cast<uint32_t>(events_.size()) - 1;
}

void Lane::MarkCriticalPath() {
  size_t i = events_.size();
  while (i > 0) {
    ScheduledEvent& event = events_[--i];
    if (event.kind == EventKind::kTransfer) continue;
    event.is_critical = true;
    if (event.kind != EventKind::kWait) continue;
    uint32_t at = event.link;
    while (true) {
      events_[at].is_critical = true;
      if (events_[at].link == kNoEvent) break;
      at = events_[at].link;
    }
    // The path goes on where the first of them was started; what was carried began before.
    i = events_[at].is_carried ? std::min<size_t>(i, at) : events_[at].issued;
  }
}

void Lane::Store(std::vector<ScheduledEvent>& all, uint32_t& first, uint32_t& count) {
  first = static_cast<uint32_t>(all.size());
  count = static_cast<uint32_t>(events_.size());
  for (ScheduledEvent& event : events_) {
    const bool to_event = event.kind == EventKind::kWait || event.kind == EventKind::kTransfer;
    if (to_event && event.link != kNoEvent) event.link += first;
    event.issued += first;
  }
  all.insert(all.end(), events_.begin(), events_.end());
}

}  // namespace halo

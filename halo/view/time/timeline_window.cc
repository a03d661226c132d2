// Walks what is in sight. In the kernels' queue of a frame, events follow each other, and those of
// a queue do, so the first one in sight is found by bisection.
#include <algorithm>
#include <cmath>

#include "halo/view/time/timeline_index.h"

namespace halo::view {
namespace {

constexpr size_t kMostSlices = 400'000;
constexpr int kMostDepth = 100;       // of calls
constexpr size_t kLastRow = 7;        // deeper loops share it
constexpr double kEarlier = 64;       // iterations before the window that are looked at
constexpr uint32_t kLookedBack = 64;  // events before a start
constexpr double kLastTrip = 1e15;    // more iterations are one slice in any picture

}  // namespace

class TimelineIndex::Walk {
 public:
  Walk(const TimelineIndex& index, double from, double to, double shortest)
      : index_(index), from_(from), to_(to), shortest_(shortest) {}

  TimelineWindow Run() {
    if (!index_.frames_.empty()) WalkFrame(index_.timeline_.root, 0, 0);
    return std::move(window_);
  }

 private:
  bool IsFull() {
    if (window_.slices.size() < kMostSlices) return false;
    window_.is_complete = false;
    return true;
  }

  void Emit(const TimeSlice& slice) {
    if (slice.end <= from_ || slice.begin >= to_) return;
    window_.slices.push_back(slice);
  }

  void Remember(double time, int64_t bytes) {
    if (bytes < 0) return;
    auto& memory = window_.memory;
    // Of what came before the window, the last counts.
    if (time <= from_ && !memory.empty() && memory.back().time <= from_) memory.pop_back();
    if (memory.empty() || memory.back().bytes != bytes) memory.push_back({time, bytes});
  }

  void EmitMany(const Sums& sums, double begin, double end) {
    for (size_t track = kKernelTrack; track < kTimeTracks; ++track) {
      TimeSlice slice;
      slice.begin = begin;
      slice.end = end;
      slice.track = static_cast<uint8_t>(track);
      slice.kind = SliceKind::kMany;
      slice.inst = sums.longest_inst[track];
      slice.count = sums.count;
      slice.busy = sums.busy[track];
      slice.is_critical = sums.is_critical;
      if (track == kKernelTrack) slice.waiting = sums.waiting;
      if (slice.busy + slice.waiting > 0) Emit(slice);
    }
    Remember(begin, sums.bytes);
  }

  void EmitOne(const ScheduledEvent& event, double base, int depth) {
    TimeSlice slice;
    slice.begin = base + event.begin;
    slice.end = base + event.end;
    slice.inst = event.inst;
    slice.is_critical = event.is_critical;
    slice.kind = static_cast<SliceKind>(event.kind);
    const bool is_frame = event.kind == EventKind::kCall || event.kind == EventKind::kLoop;
    slice.track = is_frame ? kFrameTrack : kKernelTrack;
    slice.row = static_cast<uint8_t>(std::min<size_t>(static_cast<size_t>(depth), kLastRow));
    (event.kind == EventKind::kWait ? slice.waiting : slice.busy) = event.end - event.begin;
    if (event.kind == EventKind::kLoop) slice.count = index_.timeline_.loops[event.link].trips;
    Emit(slice);
    if (event.kind == EventKind::kKernel) Remember(slice.begin, index_.bytes_[event.inst.index()]);
  }

  void WalkFrame(uint32_t number, double base, int depth) {
    if (number == kNoEvent || depth > kMostDepth || IsFull()) return;
    const FrameIndex& frame = index_.frames_[number];
    const double length = index_.timeline_.frames[number].length;
    if (base >= to_ || base + length + frame.reach <= from_) return;
    WalkMain(frame, base, depth);
    for (size_t q = 0; q < kQueues; ++q) WalkQueue(frame, q, base);
  }

  void WalkMain(const FrameIndex& frame, double base, int depth) {
    const auto at = [&](uint32_t i) -> const ScheduledEvent& {
      return index_.event(index_.main_[frame.first + i]);
    };
    // The first event from `low` on for which `is_after` holds.
    const auto bisect = [&](uint32_t low, const auto& is_after) {
      uint32_t high = frame.count;
      while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (is_after(at(middle))) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const double first = from_ - frame.inner_reach - base;
    uint32_t i = bisect(0, [&](const ScheduledEvent& each) { return each.end > first; });
    while (i < frame.count && base + at(i).begin < to_ && !IsFull()) {
      const ScheduledEvent& event = at(i);
      if (event.end - event.begin >= shortest_) {
        EmitOne(event, base, depth);
        if (event.kind == EventKind::kCall) WalkFrame(event.link, base + event.begin, depth + 1);
        if (event.kind == EventKind::kLoop) WalkLoop(event, base + event.begin, depth + 1);
        ++i;
        continue;
      }
      uint32_t end = bisect(
          i + 1, [&](const ScheduledEvent& each) { return each.begin >= event.begin + shortest_; });
      const ScheduledEvent& last = at(end - 1);
      if (end - 1 > i && last.end - last.begin >= shortest_) --end;
      const bool is_plain = event.kind == EventKind::kKernel || event.kind == EventKind::kWait;
      if (end == i + 1 && is_plain) {
        EmitOne(event, base, depth);
      } else {
        EmitMany(index_.SumsOf(frame, i, end), base + event.begin, base + at(end - 1).end);
      }
      i = end;
    }
  }

  void WalkQueue(const FrameIndex& frame, size_t queue, double base) {
    const auto [begin, end] = frame.transfers[queue];
    const auto at = [&](uint32_t i) -> const ScheduledEvent& {
      return index_.event(index_.transfers_[i]);
    };
    const auto list = index_.transfers_.begin();
    const auto bisect = [&](uint32_t low, const auto& is_before) {
      return static_cast<uint32_t>(
          std::partition_point(list + low, list + end,
                               [&](uint32_t each) { return is_before(index_.event(each)); }) -
          list);
    };
    uint32_t i = bisect(begin, [&](const ScheduledEvent& e) { return base + e.end <= from_; });
    while (i < end && base + at(i).begin < to_ && !IsFull()) {
      const ScheduledEvent& event = at(i);
      uint32_t next = i + 1;
      if (event.end - event.begin < shortest_) {
        next = bisect(next,
                      [&](const ScheduledEvent& e) { return e.begin < event.begin + shortest_; });
        const ScheduledEvent& last = at(next - 1);
        if (next - 1 > i && last.end - last.begin >= shortest_) --next;
      }
      TimeSlice slice;
      slice.track = static_cast<uint8_t>(kFirstQueueTrack + queue);
      slice.kind = next == i + 1 ? SliceKind::kTransfer : SliceKind::kMany;
      slice.begin = base + event.begin;
      slice.end = base + at(next - 1).end;
      slice.inst = event.inst;
      slice.count = next - i;
      double longest = -1;
      for (uint32_t k = i; k < next; ++k) {
        const double seconds = at(k).end - at(k).begin;
        slice.busy += seconds;
        slice.is_critical |= at(k).is_critical;
        if (seconds > longest) slice.inst = at(k).inst;
        longest = std::max(longest, seconds);
      }
      if (slice.kind == SliceKind::kTransfer) {
        slice.issued = base + IssuedAt(event);
        if (const double done = index_.done_times_[i]; done != kNoTime) slice.done = base + done;
      }
      Emit(slice);
      i = next;
    }
  }

  // A start is reached at the end of the kernel before it, in the order of issue.
  [[nodiscard]] double IssuedAt(const ScheduledEvent& transfer) const {
    const uint32_t own = transfer.issued;
    for (uint32_t i = own; i > 0 && own - i < kLookedBack;) {
      const ScheduledEvent& before = index_.event(--i);
      if (before.kind == EventKind::kTransfer && before.issued == i) continue;
      const bool is_before = before.kind != EventKind::kTransfer && before.end <= transfer.begin;
      return is_before ? before.end : transfer.begin;
    }
    return transfer.begin;
  }

  void WalkLoop(const ScheduledEvent& event, double base, int depth) {
    const TimelineLoop& loop = index_.timeline_.loops[event.link];
    const LoopIndex& made = index_.loops_[event.link];
    const auto recorded = static_cast<uint32_t>(loop.bodies.size());
    if (recorded == 0 || loop.trips <= 0) return;
    const double seconds = event.end - event.begin;
    const double per_trip = seconds / loop.trips;
    if (per_trip < shortest_ || loop.trips > kLastTrip) {
      // Iterations cannot be told apart: their average.
      const double begin = std::max(base, from_), end = std::min(base + seconds, to_);
      if (end <= begin) return;
      Sums sums;
      sums.Add(made.total, (end - begin) / seconds);
      EmitMany(sums, begin, end);
      return;
    }
    const uint32_t steady = std::min(loop.steady, recorded - 1);
    const double cycle = recorded - steady;
    const double period = made.begins[recorded] - made.begins[steady];
    const auto frame_of = [&](double trip) {
      if (trip < recorded) return static_cast<uint32_t>(trip);
      return steady + static_cast<uint32_t>(std::fmod(trip - steady, cycle));
    };
    const auto begin_of = [&](double trip) {
      if (trip < recorded) return made.begins[static_cast<uint32_t>(trip)];
      const uint32_t k = frame_of(trip);
      const double cycles = std::floor((trip - steady) / cycle);
      return made.begins[steady] + cycles * period + (made.begins[k] - made.begins[steady]);
    };
    double trip = 0;
    const double first = from_ - made.reach - base;
    if (first >= made.begins[recorded] && period > 0) {
      trip = steady + std::floor((first - made.begins[steady]) / period) * cycle;
    } else if (first > 0) {
      trip = static_cast<double>(std::upper_bound(made.begins.begin(), made.begins.end(), first) -
                                 made.begins.begin() - 1);
    }
    const double visible = std::floor((from_ - base) / per_trip) - kEarlier;
    trip = std::max({trip, std::min(visible, loop.trips - 1), 0.0});
    for (; trip < loop.trips && !IsFull(); ++trip) {
      const uint32_t k = frame_of(trip);
      const double begin = base + begin_of(trip);
      if (begin >= to_) return;
      WalkFrame(loop.conditions[k], begin, depth);
      WalkFrame(loop.bodies[k], begin + index_.LengthOf(loop.conditions[k]), depth);
    }
    if (trip >= loop.trips) {
      WalkFrame(loop.last_condition, base + seconds - index_.LengthOf(loop.last_condition), depth);
    }
  }

  const TimelineIndex& index_;
  double from_, to_, shortest_;
  TimelineWindow window_;
};

TimelineWindow TimelineIndex::Window(double from, double to, double shortest) const {
  return Walk(*this, from, to, shortest).Run();
}

}  // namespace halo::view

// Tables that are made once: events by queue, sums of blocks of them, how loops repeat.
#include "halo/view/time/timeline_index.h"

#include <algorithm>
#include <span>

namespace halo::view {
namespace {

constexpr uint32_t kBlock = 16;  // events
constexpr size_t kMostRows = 8;  // deeper loops share the last row

}  // namespace

std::string_view TimeTrackText(size_t track) {
  if (track == kFrameTrack) return "loops and calls";
  if (track == kKernelTrack) return "kernels";
  return QueueText(static_cast<Queue>(track - kFirstQueueTrack));
}

std::string_view SliceKindText(SliceKind kind) {
  constexpr std::array<std::string_view, kSliceKinds> kTexts = {"kernel", "wait",     "call",
                                                                "loop",   "transfer", "many"};
  return kTexts[static_cast<size_t>(kind)];
}

void TimelineIndex::Sums::Note(size_t track, double seconds, InstId inst) {
  busy[track] += seconds;
  if (seconds < longest[track] || (longest_inst[track].valid() && seconds == longest[track])) {
    return;
  }
  longest[track] = seconds;
  longest_inst[track] = inst;
}

void TimelineIndex::Sums::Add(const Sums& other, double times) {
  count += other.count * times;
  waiting += other.waiting * times;
  for (size_t i = 0; i < kTimeTracks; ++i) {
    busy[i] += other.busy[i] * times;
    if (other.longest[i] <= longest[i]) continue;
    longest[i] = other.longest[i];
    longest_inst[i] = other.longest_inst[i];
  }
  bytes = std::max(bytes, other.bytes);
  is_critical |= other.is_critical;
}

TimelineIndex::TimelineIndex(const Module& module, const Timeline& timeline,
                             std::vector<int64_t> bytes)
    : module_(module),
      timeline_(timeline),
      bytes_(std::move(bytes)),
      frames_(timeline.frames.size()),
      loops_(timeline.loops.size()),
      waits_(timeline.events.size(), kNoEvent) {
  bytes_.resize(module.insts.size(), -1);
  for (uint32_t i = 0; i < timeline.events.size(); ++i) {
    const ScheduledEvent& each = timeline.events[i];
    if (each.kind == EventKind::kWait && each.link != kNoEvent) waits_[each.link] = i;
  }
  FindDones();
  // Callees come before callers.
  for (uint32_t i = 0; i < frames_.size(); ++i) IndexFrame(i);
  FindFirstRuns();
}

double TimelineIndex::length() const {
  return timeline_.frames.empty() ? 0 : timeline_.frames[timeline_.root].length;
}

double TimelineIndex::LengthOf(uint32_t frame) const {
  return frame == kNoEvent ? 0 : timeline_.frames[frame].length;
}

void TimelineIndex::FindDones() {
  dones_.resize(module_.insts.size());
  for (uint32_t i = 0; i < module_.insts.size(); ++i) {
    const Inst& done = module_.insts[i];
    if (!IsAsyncDone(done)) continue;
    InstId start = InstId(i);
    // Updates may be between the halves; a malformed chain ends.
    for (int step = 0; step < 100; ++step) {
      const std::span<const InstId> operands = module_.operands_of(module_.inst(start));
      if (operands.empty() || !operands.front().valid()) break;
      start = operands.front();
      if (!IsAsyncStart(module_.inst(start))) continue;
      dones_[start.index()] = InstId(i);
      break;
    }
  }
}

void TimelineIndex::IndexLoop(uint32_t index) {
  const TimelineLoop& loop = timeline_.loops[index];
  LoopIndex& made = loops_[index];
  if (!made.begins.empty()) return;
  double at = 0;
  for (uint32_t i = 0; i < loop.bodies.size(); ++i) {
    made.begins.push_back(at);
    at += LengthOf(loop.conditions[i]) + LengthOf(loop.bodies[i]);
    for (const uint32_t frame : {loop.conditions[i], loop.bodies[i]}) {
      if (frame == kNoEvent) continue;
      made.total.Add(frames_[frame].total, loop.Runs(i));
      made.reach = std::max(made.reach, frames_[frame].reach);
    }
  }
  made.begins.push_back(at);
  if (loop.last_condition != kNoEvent) made.total.Add(frames_[loop.last_condition].total, 1);
}

TimelineIndex::Sums TimelineIndex::SumsOf(uint32_t at) const {
  const ScheduledEvent& each = event(at);
  Sums sums;
  sums.is_critical = each.is_critical;
  switch (each.kind) {
    case EventKind::kKernel:
      sums.count = 1;
      sums.Note(kKernelTrack, each.end - each.begin, each.inst);
      break;
    case EventKind::kWait:
      sums.count = 1;
      sums.waiting = each.end - each.begin;
      break;
    case EventKind::kCall: sums.Add(frames_[each.link].total, 1); break;
    case EventKind::kLoop: sums.Add(loops_[each.link].total, 1); break;
    case EventKind::kTransfer: break;
  }
  if (each.inst.valid()) sums.bytes = std::max(sums.bytes, bytes_[each.inst.index()]);
  return sums;
}

TimelineIndex::Sums TimelineIndex::SumsOf(const FrameIndex& frame, uint32_t begin,
                                          uint32_t end) const {
  Sums sums;
  while (begin < end) {
    if (begin % kBlock == 0 && begin + kBlock <= end) {
      sums.Add(blocks_[frame.first_block + begin / kBlock], 1);
      begin += kBlock;
    } else {
      sums.Add(SumsOf(main_[frame.first + begin++]), 1);
    }
  }
  return sums;
}

void TimelineIndex::IndexFrame(uint32_t index) {
  const TimelineFrame& frame = timeline_.frames[index];
  FrameIndex& made = frames_[index];
  made.first = static_cast<uint32_t>(main_.size());
  made.first_block = static_cast<uint32_t>(blocks_.size());
  std::array<std::vector<uint32_t>, kQueues> queues;
  std::vector<std::pair<InstId, double>> order;
  for (uint32_t i = frame.first; i < frame.first + frame.count; ++i) {
    const ScheduledEvent& each = event(i);
    if (each.kind == EventKind::kTransfer) {
      if (each.is_carried) continue;  // drawn by the frame that started it
      size_t q = 0;
      while (q + 1 < kQueues && !each.queues.Has(static_cast<Queue>(q))) ++q;
      queues[q].push_back(i);
      made.reach = std::max(made.reach, each.end - frame.length);
      made.total.Note(kFirstQueueTrack + q, each.end - each.begin, each.inst);
      made.total.count += 1;
      has_track_[kFirstQueueTrack + q] = true;
      continue;
    }
    has_track_[kKernelTrack] = true;
    double reach = 0;
    if (each.kind == EventKind::kLoop) {
      IndexLoop(each.link);
      reach = loops_[each.link].reach;
    } else if (each.kind == EventKind::kCall) {
      reach = frames_[each.link].reach;
    }
    made.inner_reach = std::max(made.inner_reach, reach);
    made.reach = std::max(made.reach, each.end + reach - frame.length);
    if (made.count % kBlock == 0) blocks_.emplace_back();
    if (each.kind != EventKind::kWait) order.emplace_back(each.inst, each.begin);
    const Sums sums = SumsOf(i);
    blocks_.back().Add(sums, 1);
    made.total.Add(sums, 1);
    main_.push_back(i);
    ++made.count;
  }
  const auto done_of = [&](uint32_t transfer) {
    if (waits_[transfer] != kNoEvent) return event(waits_[transfer]).begin;
    const InstId done = dones_[event(transfer).inst.index()];
    if (!done.valid() || module_.inst(done).parent != frame.comp) return kNoTime;
    // Instructions run in their order; the first after the done begins when that is reached.
    const auto next = std::upper_bound(
        order.begin(), order.end(), done,
        [](InstId inst, const std::pair<InstId, double>& each) { return inst < each.first; });
    return next == order.end() ? frame.length : next->second;
  };
  for (size_t q = 0; q < kQueues; ++q) {
    made.transfers[q].first = static_cast<uint32_t>(transfers_.size());
    for (const uint32_t each : queues[q]) {
      transfers_.push_back(each);
      done_times_.push_back(done_of(each));
    }
    made.transfers[q].second = static_cast<uint32_t>(transfers_.size());
  }
}

void TimelineIndex::FindFirstRuns() {
  first_runs_.assign(module_.insts.size(), {kNoTime, kNoTime});
  std::vector<double> bases(frames_.size(), kNoTime);
  std::vector<size_t> depths(frames_.size(), 0);
  if (frames_.empty()) return;
  bases[timeline_.root] = 0;
  const auto reach = [&](uint32_t frame, double base, size_t depth) {
    if (frame == kNoEvent) return;
    if (bases[frame] == kNoTime || base < bases[frame]) bases[frame] = base;
    depths[frame] = std::max(depths[frame], std::min(depth, kMostRows));
    has_track_[kFrameTrack] = true;
  };
  // Callers come after callees.
  for (auto f = static_cast<uint32_t>(frames_.size()); f-- > 0;) {
    if (bases[f] == kNoTime) continue;
    const double base = bases[f];
    rows_ = std::max(rows_, depths[f]);
    const TimelineFrame& frame = timeline_.frames[f];
    for (uint32_t i = frame.first; i < frame.first + frame.count; ++i) {
      const ScheduledEvent& each = event(i);
      if (each.kind == EventKind::kCall) reach(each.link, base + each.begin, depths[f] + 1);
      if (each.kind == EventKind::kLoop) {
        const TimelineLoop& loop = timeline_.loops[each.link];
        for (uint32_t k = 0; k < loop.bodies.size(); ++k) {
          const double begin = base + each.begin + loops_[each.link].begins[k];
          reach(loop.conditions[k], begin, depths[f] + 1);
          reach(loop.bodies[k], begin + LengthOf(loop.conditions[k]), depths[f] + 1);
        }
      }
      if (!each.inst.valid() || each.kind == EventKind::kWait || each.is_carried) continue;
      auto& first = first_runs_[each.inst.index()];
      if (first.first != kNoTime && first.first <= base + each.begin) continue;
      first = {base + each.begin, base + each.end};
    }
  }
}

std::optional<std::pair<double, double>> TimelineIndex::FirstRun(InstId inst) const {
  const std::pair<double, double> first = first_runs_[inst.index()];
  if (first.first == kNoTime) return std::nullopt;
  return first;
}

}  // namespace halo::view

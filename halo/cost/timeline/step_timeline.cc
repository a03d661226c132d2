// Seconds of instructions are collected from the frames, callers before callees, each as often as
// it runs.
#include "halo/cost/timeline/step_timeline.h"

#include <algorithm>

#include "halo/cost/timeline/simulator.h"

namespace halo {
namespace {

class Collector {
 public:
  explicit Collector(Timeline& timeline) : timeline_(timeline), on_path_(timeline.frames.size()) {
    timeline_.runs.assign(timeline.frames.size(), 0);
  }

  void Run() {
    if (timeline_.frames.empty()) return;
    timeline_.runs[timeline_.root] = on_path_[timeline_.root] = 1;
    for (size_t i = timeline_.frames.size(); i-- > 0;) {
      if (timeline_.runs[i] > 0) CollectFrame(i);
    }
    timeline_.step = timeline_.frames[timeline_.root].total;
    timeline_.step.critical_links = links_;
  }

 private:
  void CollectFrame(size_t index) {
    const TimelineFrame& frame = timeline_.frames[index];
    const double runs = timeline_.runs[index], on_path = on_path_[index];
    for (uint32_t i = frame.first; i < frame.first + frame.count; ++i) {
      const ScheduledEvent& event = timeline_.events[i];
      const double path = event.is_critical ? on_path : 0;
      if (!event.is_carried) timeline_.event_count += runs;
      switch (event.kind) {
        case EventKind::kKernel:
          timeline_.critical[event.inst.index()] += path * (event.end - event.begin);
          break;
        case EventKind::kTransfer:
          timeline_.critical[event.inst.index()] += path * (event.end - event.begin);
          if (event.queues.communicates()) links_ += path * (event.end - event.begin);
          break;
        case EventKind::kWait: CollectWait(event, runs); break;
        case EventKind::kCall: RunFrame(event.link, runs, path); break;
        case EventKind::kLoop: {
          const TimelineLoop& loop = timeline_.loops[event.link];
          for (uint32_t k = 0; k < loop.bodies.size(); ++k) {
            RunFrame(loop.conditions[k], runs * loop.Runs(k), path * loop.Runs(k));
            RunFrame(loop.bodies[k], runs * loop.Runs(k), path * loop.Runs(k));
          }
          RunFrame(loop.last_condition, runs, path);
          break;
        }
      }
    }
  }

  void RunFrame(uint32_t frame, double runs, double on_path) {
    if (frame == kNoEvent) return;
    timeline_.runs[frame] += runs;
    on_path_[frame] += on_path;
  }

  // A wait counts for the work that was in the way, which may be before what was waited for.
  void CollectWait(const ScheduledEvent& wait, double runs) {
    double until = wait.end;
    for (uint32_t at = wait.link; at != kNoEvent && until > wait.begin;) {
      const ScheduledEvent& transfer = timeline_.events[at];
      const double from = std::max(wait.begin, transfer.begin);
      timeline_.exposed[transfer.inst.index()] += runs * std::max(until - from, 0.0);
      until = std::min(until, from);
      at = transfer.link;
    }
  }

  Timeline& timeline_;
  std::vector<double> on_path_;
  double links_ = 0;
};

}  // namespace

Timeline MakeTimeline(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
                      const TimelineOptions& options) {
  Timeline timeline;
  timeline.exposed.assign(module.insts.size(), 0);
  timeline.critical.assign(module.insts.size(), 0);
  Simulator(module, cost, times, options, timeline).Run();
  Collector(timeline).Run();
  return timeline;
}

}  // namespace halo

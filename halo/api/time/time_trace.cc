// Iterations are written one after the other from the frames of the timeline. Memory is that of a
// plan made here for the module's schedule; without one there is no counter.
#include "halo/api/time/time_trace.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/time/time_memory.h"
#include "halo/dump/dump_name.h"
#include "halo/proto/trace/perfetto_writer.h"
#include "halo/proto/trace/xplane_writer.h"
#include "halo/proto/write/write_proto.h"

namespace halo {
namespace {

constexpr uint64_t kProgramTrack = 1, kKernelTrack = 2, kMemoryTrack = 3, kFirstQueueTrack = 4;
constexpr int64_t kUnknownBytes = -1;
constexpr std::string_view kWaiting = "wait";  // category of slices without work
constexpr int kMaxDepth = 100;                 // of calls; what is deeper is not shown

// `Out` is what the trace is written with: PerfettoWriter or XPlaneWriter.
template <class Out>
class TraceWriter {
 public:
  TraceWriter(const TimeResult& result, size_t max_slices, Out out)
      : result_(result),
        module_(*result.inputs.module),
        timeline_(result.timeline),
        left_(max_slices),
        bytes_(PlanTimeMemory(module_, result.backend).bytes),
        ops_(module_.insts.size(), nullptr),
        is_waited_for_(timeline_.events.size(), false),
        out_(std::move(out)) {
    for (const TimedOp& op : result.ops) ops_[op.inst.index()] = &op;
    for (const ScheduledEvent& event : timeline_.events) {
      if (event.kind == EventKind::kWait && event.link != kNoEvent)
        is_waited_for_[event.link] = true;
    }
  }

  std::string Write() {
    AddTracks();
    if (!timeline_.frames.empty()) WriteFrame(timeline_.root, 0, 0);
    return out_.Take();
  }

 private:
  static int64_t Units(double seconds) {
    constexpr double kLongest = 9e6;  // seconds that a number of picoseconds has room for
    return std::llround(std::min(seconds, kLongest) * Out::kUnitsPerSecond);
  }

  void AddTracks() {
    out_.AddTrack(kProgramTrack, result_.program + " on " + result_.device.name, 0);
    out_.AddTrack(kKernelTrack, "kernels", kProgramTrack);
    out_.AddCounter(kMemoryTrack, "memory", kProgramTrack);
    std::array<bool, kQueues> used = {};
    for (const ScheduledEvent& event : timeline_.events) {
      if (event.kind == EventKind::kTransfer) used[QueueOf(event)] = true;
    }
    for (size_t q = 0; q < kQueues; ++q) {
      if (!used[q]) continue;
      out_.AddTrack(kFirstQueueTrack + q, QueueText(static_cast<Queue>(q)), kProgramTrack);
    }
  }

  // The first of an event's queues: no two events of one queue overlap.
  static size_t QueueOf(const ScheduledEvent& event) {
    size_t q = 0;
    while (q + 1 < kQueues && !event.queues.Has(static_cast<Queue>(q))) ++q;
    return q;
  }

  void Begin(uint64_t track, double time, std::string_view name, std::string_view category,
             InstId inst, uint64_t from, uint64_t to) {
    const TimedOp* op = inst.valid() ? ops_[inst.index()] : nullptr;
    std::array<std::pair<std::string_view, std::string_view>, 4> all;
    size_t count = 0;
    const auto add = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) all[count++] = {key, value};
    };
    if (op != nullptr) {
      add("op_name", op->op_name);
      add("source", op->source);
      add("bound by", TimeBoundText(op->time.bound));
      add("time from", TimeSourceText(op->time.source));
    }
    TraceSlice slice;
    slice.name = name;
    slice.category = category;
    slice.annotations = {all.data(), count};
    slice.flow_from = from;
    slice.flow_to = to;
    if (op != nullptr && category != kWaiting) {
      slice.kind = KernelKindText(op->kind);
      slice.flops = op->cost.work.flops;
      slice.bytes = op->cost.traffic.main();
    }
    out_.Begin(track, Units(time), slice);
    if (left_ > 0) --left_;
  }

  void CountMemory(InstId inst, double time) {
    const int64_t bytes = bytes_[inst.index()];
    if (bytes == kUnknownBytes || bytes == shown_bytes_) return;
    shown_bytes_ = bytes;
    out_.Count(kMemoryTrack, Units(time), bytes);
  }

  // A flow joins a transfer and the wait for it; frames that run again have other flows.
  [[nodiscard]] uint64_t Flow(uint64_t run, uint32_t event) const {
    return run * timeline_.events.size() + event + 1;
  }

  void WriteFrame(uint32_t index, double base, int depth) {
    const TimelineFrame& frame = timeline_.frames[index];
    const uint64_t run = runs_++;
    for (uint32_t i = frame.first; i < frame.first + frame.count; ++i) {
      const ScheduledEvent& event = timeline_.events[i];
      const double begin = base + event.begin, end = base + event.end;
      if (event.is_carried) continue;  // written by the frame that started it
      const std::string_view name = module_.name_of(module_.inst(event.inst));
      switch (event.kind) {
        case EventKind::kKernel:
          CountMemory(event.inst, begin);
          Begin(kKernelTrack, begin, name, event.is_critical ? "critical kernel" : "kernel",
                event.inst, 0, 0);
          out_.End(kKernelTrack, Units(end));
          break;
        case EventKind::kWait:
          Begin(kKernelTrack, begin, "wait", kWaiting, event.inst, 0,
                timeline_.events[event.link].is_carried ? 0 : Flow(run, event.link));
          out_.End(kKernelTrack, Units(end));
          break;
        case EventKind::kTransfer: {
          const uint64_t track = kFirstQueueTrack + QueueOf(event);
          Begin(track, begin, name, event.is_critical ? "critical transfer" : "transfer",
                event.inst, is_waited_for_[i] ? Flow(run, i) : 0, 0);
          out_.End(track, Units(end));
          break;
        }
        case EventKind::kCall:
          Begin(kKernelTrack, begin, name, "call", event.inst, 0, 0);
          if (depth < kMaxDepth && left_ > 0) WriteFrame(event.link, begin, depth + 1);
          out_.End(kKernelTrack, Units(end));
          break;
        case EventKind::kLoop:
          Begin(kKernelTrack, begin, name, "loop", event.inst, 0, 0);
          if (depth < kMaxDepth) WriteLoop(timeline_.loops[event.link], begin, end, depth + 1);
          out_.End(kKernelTrack, Units(end));
          break;
      }
    }
  }

  void WriteLoop(const TimelineLoop& loop, double base, double end, int depth) {
    const auto write = [&](uint32_t frame) {
      if (frame == kNoEvent) return;
      WriteFrame(frame, base, depth);
      base += timeline_.frames[frame].length;
    };
    size_t i = 0;
    for (double trip = 0; trip < loop.trips && !loop.bodies.empty(); ++trip) {
      if (left_ == 0) {
        char text[48];
        std::snprintf(text, sizeof text, "%.0f more iterations", loop.trips - trip);
        Begin(kKernelTrack, base, text, "loop", InstId(), 0, 0);
        out_.End(kKernelTrack, Units(end));
        return;
      }
      --left_;  // an iteration may have no slices
      if (i == loop.bodies.size()) i = loop.steady;
      write(loop.conditions[i]);
      write(loop.bodies[i]);
      ++i;
    }
    write(loop.last_condition);
  }

  const TimeResult& result_;
  const Module& module_;
  const Timeline& timeline_;
  size_t left_;
  std::vector<int64_t> bytes_;  // by instruction
  std::vector<const TimedOp*> ops_;
  std::vector<bool> is_waited_for_;
  Out out_;
  int64_t shown_bytes_ = kUnknownBytes;
  uint64_t runs_ = 0;
};

}  // namespace

std::string TimeTrace(const TimeResult& result, TraceFormat format, size_t max_slices) {
  if (format == TraceFormat::kPerfetto) {
    return TraceWriter(result, max_slices, PerfettoWriter()).Write();
  }
  const std::string& path = result.inputs.module_path;
  const DumpName name = ParseDumpName(std::string_view(path).substr(path.rfind('/') + 1));
  const DeviceRates& rates = result.device.rates;
  XPlaneWriter::Options options;
  options.is_tpu = result.device.backend == Backend::kTpu;
  options.module_name = result.program;
  if (name.has_module && name.number > 0) options.program_id = static_cast<uint64_t>(name.number);
  options.title = result.device.title;
  if (options.title.starts_with("AMD")) options.vendor = "AMD";
  if (options.title.starts_with("NVIDIA")) options.vendor = "Nvidia";
  options.proto = WriteHloProto(*result.inputs.module).bytes;
  options.peak_flops = std::max(rates.bf16.value, rates.f32.value);
  options.bandwidth = rates.bandwidth.value;
  return TraceWriter(result, max_slices, XPlaneWriter(std::move(options))).Write();
}

}  // namespace halo

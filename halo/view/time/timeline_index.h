// The timeline of a step, ready for drawing: what is in sight between two times, at a resolution.
// What is too short to be told apart becomes one slice with sums, and loops are entered only where
// their iterations can be seen, so the cost depends on the picture, hardly on the program.
#ifndef HALO_VIEW_TIME_TIMELINE_INDEX_H_
#define HALO_VIEW_TIME_TIMELINE_INDEX_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/cost/timeline/step_timeline.h"
#include "halo/ir/module.h"

namespace halo::view {

// Loops and calls, kernels, then one track for each queue.
inline constexpr size_t kFrameTrack = 0, kKernelTrack = 1, kFirstQueueTrack = 2;
inline constexpr size_t kTimeTracks = kFirstQueueTrack + kQueues;
std::string_view TimeTrackText(size_t track);

enum class SliceKind : uint8_t { kKernel, kWait, kCall, kLoop, kTransfer, kMany };
inline constexpr size_t kSliceKinds = 6;
std::string_view SliceKindText(SliceKind kind);

inline constexpr double kNoTime = -1;

struct TimeSlice {
  double begin = 0, end = 0;
  InstId inst;  // of several, the longest
  uint8_t track = 0;
  uint8_t row = 0;  // of the track of loops and calls: how deep it is
  SliceKind kind = SliceKind::kKernel;
  bool is_critical = false;
  double count = 1;    // events
  double busy = 0;     // seconds of kernels, or of transfers of this track
  double waiting = 0;  // of the kernels' track: seconds that kernels wait
  // Of a transfer: when its start was reached, and when the program came to wait for it, if known.
  double issued = kNoTime, done = kNoTime;
};

struct MemoryPoint {
  double time = 0;
  int64_t bytes = 0;  // the most until the next point
};

struct TimelineWindow {
  std::vector<TimeSlice> slices;
  std::vector<MemoryPoint> memory;  // in order of time; empty if unknown
  bool is_complete = true;          // false: there were too many slices
};

class TimelineIndex {
 public:
  // Both must outlive this object. `bytes` has the memory in use while each instruction runs, -1 if
  // unknown; it may be empty.
  TimelineIndex(const Module& module, const Timeline& timeline, std::vector<int64_t> bytes);

  [[nodiscard]] double length() const;
  [[nodiscard]] bool has_track(size_t track) const { return has_track_[track]; }
  [[nodiscard]] size_t rows() const { return rows_; }  // of the track of loops and calls
  // Slices between two times; those shorter than `shortest` are taken together.
  [[nodiscard]] TimelineWindow Window(double from, double to, double shortest) const;
  // When an instruction first runs; nothing if it takes no time.
  [[nodiscard]] std::optional<std::pair<double, double>> FirstRun(InstId inst) const;

 private:
  class Walk;
  // Events taken together.
  struct Sums {
    double count = 0, waiting = 0;
    std::array<double, kTimeTracks> busy{};
    std::array<double, kTimeTracks> longest{};
    std::array<InstId, kTimeTracks> longest_inst{};
    int64_t bytes = -1;
    bool is_critical = false;

    void Note(size_t track, double seconds, InstId inst);
    void Add(const Sums& other, double times);
  };
  struct FrameIndex {
    uint32_t first = 0, count = 0;                                   // in main_
    uint32_t first_block = 0;                                        // in blocks_
    std::array<std::pair<uint32_t, uint32_t>, kQueues> transfers{};  // first and end in transfers_
    // How long what it started, and what is called by it, may continue after its end, and after
    // the end of a call inside it.
    double reach = 0, inner_reach = 0;
    Sums total;
  };
  struct LoopIndex {
    std::vector<double> begins;  // of each recorded iteration, and the end of the last
    double reach = 0;
    Sums total;
  };

  void IndexLoop(uint32_t loop);
  void IndexFrame(uint32_t frame);
  void FindFirstRuns();
  void FindDones();
  [[nodiscard]] const ScheduledEvent& event(uint32_t i) const { return timeline_.events[i]; }
  [[nodiscard]] Sums SumsOf(uint32_t event) const;
  [[nodiscard]] Sums SumsOf(const FrameIndex& frame, uint32_t begin, uint32_t end) const;
  [[nodiscard]] double LengthOf(uint32_t frame) const;

  const Module& module_;
  const Timeline& timeline_;
  std::vector<int64_t> bytes_;
  std::vector<FrameIndex> frames_;
  std::vector<LoopIndex> loops_;
  std::vector<uint32_t> main_;       // events of the kernels' queue, by frame, in order of time
  std::vector<Sums> blocks_;         // of main_, by frame
  std::vector<uint32_t> transfers_;  // by frame and queue, in order of time
  // When the program comes to the done of each of them, relative to the frame.
  std::vector<double> done_times_;
  std::vector<uint32_t> waits_;  // by event: the wait for a transfer; kNoEvent
  std::vector<InstId> dones_;    // by instruction: the done of a start
  std::vector<std::pair<double, double>> first_runs_;  // by instruction
  std::array<bool, kTimeTracks> has_track_{};
  size_t rows_ = 0;
};

}  // namespace halo::view

#endif  // HALO_VIEW_TIME_TIMELINE_INDEX_H_

// When each instruction runs: the schedule as XLA left it, kernels in one queue, collectives and
// copies in others. A start puts work into its queues and the done waits for it; what kernels wait
// for is exposed. Loops are not unrolled: iterations are simulated until one begins like an earlier
// one, and the rest is multiplied.
//
// A frame is one run of a computation, with times relative to its begin. Runs that begin with the
// same work under way are one frame.
#ifndef HALO_COST_TIMELINE_STEP_TIMELINE_H_
#define HALO_COST_TIMELINE_STEP_TIMELINE_H_

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/op_time.h"
#include "halo/cost/timeline/queues.h"
#include "halo/cost/timeline/step_time.h"
#include "halo/ir/module.h"

namespace halo {

enum class EventKind : uint8_t {
  kKernel,
  kWait,      // kernels wait for asynchronous work
  kCall,      // runs `frame`: a call, or a conditional's slowest branch
  kLoop,      // runs `loop`
  kTransfer,  // work in other queues
};

inline constexpr uint32_t kNoEvent = std::numeric_limits<uint32_t>::max();

struct ScheduledEvent {
  double begin = 0, end = 0;
  InstId inst;
  EventKind kind = EventKind::kKernel;
  bool is_critical = false;  // on the longest path through its frame
  bool is_carried = false;   // of a transfer: began before the frame, or inside a call of it
  QueueSet queues;           // of a transfer
  // Of a call, a frame; of a loop, a loop; of a wait, the transfer that it waits for; of a
  // transfer, the one that was before it in a queue and ended when it began. kNoEvent if there is
  // none.
  uint32_t link = kNoEvent;
  uint32_t issued = 0;  // of a transfer: how many events of its frame were before its start
};

struct TimelineFrame {
  CompId comp;
  uint32_t first = 0, count = 0;  // of the events; transfers are among them, in order of issue
  double length = 0;
  StepTime total;  // includes what it calls
};

// Frames of the condition and the body, iteration by iteration. From `steady` on, they repeat.
struct TimelineLoop {
  std::vector<uint32_t> conditions, bodies;
  uint32_t steady = 0;
  double trips = 0;
  uint32_t last_condition = kNoEvent;  // the run of the condition that ends the loop
  // How often the frames of recorded iteration `i` run.
  [[nodiscard]] double Runs(uint32_t i) const;
};

struct Timeline {
  std::vector<TimelineFrame> frames;  // callees before callers
  uint32_t root = 0;                  // the frame of the program
  std::vector<ScheduledEvent> events;
  std::vector<TimelineLoop> loops;
  StepTime step;
  // By instruction, of all runs: seconds that kernels wait for it, and seconds that it is on the
  // longest path. What an async computation does is counted for its longest instruction.
  std::vector<double> exposed, critical;
  std::vector<double> runs;  // by frame
  double event_count = 0;    // with all iterations of all loops
};

// A transfer that begins, and that kernels wait for, elsewhere in its computation than scheduled:
// before other instructions. It runs beside kernels, whatever the compiler decided.
struct MovedTransfer {
  InstId start, done;  // `done` is invalid for an instruction without halves
  InstId issue_before, wait_before;
};

struct TimelineOptions {
  std::optional<Backend> backend;
  int64_t per_node = 0;
  double gap = 0;  // seconds between two kernels
  std::vector<MovedTransfer> moved = {};
};

// `times` has the time of each instruction.
Timeline MakeTimeline(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
                      const TimelineOptions& options);

}  // namespace halo

#endif  // HALO_COST_TIMELINE_STEP_TIMELINE_H_

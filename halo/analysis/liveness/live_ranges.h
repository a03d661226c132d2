// When each value is live. The program is flattened into one sequence, callees before their caller;
// a value's live range goes from its definition to its last use, both included.
#ifndef HALO_ANALYSIS_LIVENESS_LIVE_RANGES_H_
#define HALO_ANALYSIS_LIVENESS_LIVE_RANGES_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/analysis/liveness/buffers.h"

namespace halo {

struct TimeSpan {
  int64_t start = -1;
  int64_t end = -1;
  [[nodiscard]] bool known() const { return start >= 0; }
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

struct LiveRangeRules {
  // The result of an async computation is live from its async-start on, not from the computation's
  // own instruction, which comes before it. True on TPU from late 2026.
  bool async_results_begin_at_start = false;
};

class LiveRanges {
 public:
  LiveRanges(const Dataflow& flow, const Buffers& buffers, const LiveRangeRules& rules = {});

  // The instruction that runs at each time.
  [[nodiscard]] const std::vector<InstId>& sequence() const { return sequence_; }
  [[nodiscard]] int64_t end() const { return static_cast<int64_t>(sequence_.size()); }
  // When an instruction runs; -1 if it is in no sequence (inside a fusion, say).
  [[nodiscard]] int64_t time(InstId inst) const { return times_[inst.index()]; }
  [[nodiscard]] TimeSpan of(FlowId value) const { return ranges_[value.index()]; }
  // The position where a value appears last; other instructions may use it later still.
  [[nodiscard]] Position last_position(FlowId value) const {
    return flow_.positions(value)[last_positions_[value.index()]];
  }

 private:
  struct Span {
    int64_t start = -1, end = -1;
  };

  void Flatten();
  void FindAsyncEnds(const std::vector<CompId>& contexts);
  // What limits everything that an async computation calls.
  struct AsyncEnds {
    int64_t start = -1, end = -1;
    bool may_not_end = false;  // some chain has no end; what is called lasts to its own end
  };
  [[nodiscard]] AsyncEnds EndsOf(CompId context) const;
  // True if this op of an async chain is the first that has all operands and the result.
  [[nodiscard]] bool BindsComputation(InstId async, CompId comp) const;
  [[nodiscard]] bool IsBound(InstId async, CompId comp) const;
  [[nodiscard]] int64_t LastUse(FlowId value) const;
  void Measure(const Buffers& buffers);
  void TrimWithinBuffers(const Buffers& buffers);

  const Dataflow& flow_;
  const Module& module_;
  LiveRangeRules rules_;
  std::vector<InstId> sequence_;
  std::vector<int64_t> times_;
  std::vector<Span> spans_;        // by computation
  std::vector<InstId> carried_;    // parameter 0, by computation
  std::vector<Span> async_spans_;  // start and done, by computation that runs asynchronously
  std::vector<TimeSpan> ranges_;
  std::vector<uint32_t> last_positions_;
};

}  // namespace halo

#endif  // HALO_ANALYSIS_LIVENESS_LIVE_RANGES_H_

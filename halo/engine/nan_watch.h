// Finds the first step of a compiled run that produces a NaN or an infinity from finite numbers, on
// each rank, and the earliest one over all ranks.
#ifndef HALO_ENGINE_NAN_WATCH_H_
#define HALO_ENGINE_NAN_WATCH_H_

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "halo/api/observe/run_observers.h"
#include "halo/api/run/compiled_engine.h"
#include "halo/engine/step_arrays.h"
#include "halo/eval/inputs/summary.h"
#include "halo/runtime/step_watch.h"

namespace halo {

// A rank that has found one keeps running, because the others would wait for it.
class NanWatch : public StepWatch {
 public:
  // `other` is the next watch to notify, or null.
  NanWatch(const Module& module, int64_t device, StepWatch* other)
      : module_(module), device_(device), other_(other) {}

  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override;
  // Discards the findings of an earlier run.
  void Restart();

  [[nodiscard]] const std::optional<NonFiniteOrigin>& origin() const { return origin_; }
  // Number of steps that had started when it was produced.
  [[nodiscard]] int64_t sequence() const { return found_at_; }

 private:
  struct Given {
    NonFinite found;
    std::vector<StepArray> operands;
    std::vector<void*> buffers;
  };
  void Note(const Step& step, std::span<void* const> buffers, bool nan, const Given& given);

  const Module& module_;
  int64_t device_;
  StepWatch* other_;
  int64_t steps_ = 0, found_at_ = 0;
  Given given_;                                    // to the current step
  std::unordered_map<uint32_t, Given> under_way_;  // to collectives, by their number in the plan
  std::unordered_map<uint32_t, int64_t> executions_;
  std::optional<NonFiniteOrigin> origin_;
};

// The earliest origin over all ranks; ties go to the lowest rank. Returns the same on every rank.
Result<std::optional<NonFiniteOrigin>> EarliestOrigin(const NanWatch& own,
                                                      const RankContext& context);

}  // namespace halo

#endif  // HALO_ENGINE_NAN_WATCH_H_

// Looking for the first step of a compiled run that makes a NaN or an infinity out of numbers, on
// each rank, and the earliest of all ranks.
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

// A rank that has found one goes on, for the others would wait for it.
class NanWatch : public StepWatch {
 public:
  // Whoever else looks on, or null.
  NanWatch(const Module& module, int64_t device, StepWatch* other)
      : module_(module), device_(device), other_(other) {}

  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override;
  // Forgets what an earlier run made.
  void Restart();

  [[nodiscard]] const std::optional<NonFiniteOrigin>& origin() const { return origin_; }
  // How many steps had begun when it was made.
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
  Given given_;                                    // to the step under way
  std::unordered_map<uint32_t, Given> under_way_;  // to collectives, by the plan's number
  std::unordered_map<uint32_t, int64_t> executions_;
  std::optional<NonFiniteOrigin> origin_;
};

// The earliest of all ranks', the lowest of those that have one at the same step; on every rank.
Result<std::optional<NonFiniteOrigin>> EarliestOrigin(const NanWatch& own, const RankPlace& place);

}  // namespace halo

#endif  // HALO_ENGINE_NAN_WATCH_H_

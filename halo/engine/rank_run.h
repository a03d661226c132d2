// The part of a compiled run that several processes do together: compile once per machine, agree on
// failures, and send all ranks' results to the first. The devices themselves communicate through
// halo/runtime/collective.h.
#ifndef HALO_ENGINE_RANK_RUN_H_
#define HALO_ENGINE_RANK_RUN_H_

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "halo/api/observe/rank_slot.h"
#include "halo/api/run/compiled_engine.h"
#include "halo/codegen/compile.h"
#include "halo/eval/lanes/value.h"
#include "halo/runtime/collective.h"
#include "halo/runtime/step_watch.h"

namespace halo {

// Records the current step in the rank's slot.
class SlotWatch : public StepWatch {
 public:
  // `other` is the next watch to notify, or null.
  SlotWatch(const Module& module, const RankContext& context, StepWatch* other)
      : module_(module), context_(context), other_(other) {}
  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override {
    return other_ != nullptr ? other_->OnEnd(step, buffers) : std::nullopt;
  }

 private:
  const Module& module_;
  const RankContext& context_;
  StepWatch* other_;
  int64_t steps_ = 0;
};

// One rank on each machine compiles first; the others find its code in the cache. If one rank
// fails, all fail with its diagnostic.
Result<std::unique_ptr<CompiledModule>> CompileInTurn(const Module& module,
                                                      const CompileOptions& options,
                                                      const RankContext& context);

// Returns every rank's result, by rank, on the first rank; nothing on the others.
Result<std::vector<Value>> CollectResults(const Value& own, const RankContext& context);

// Returns every rank's recording on the first rank.
Result<std::vector<RankTimeline>> CollectTimelines(const std::vector<TimelineEvent>& own,
                                                   const RankContext& context);

void EnterState(const RankContext& context, RankState state);

}  // namespace halo

#endif  // HALO_ENGINE_RANK_RUN_H_

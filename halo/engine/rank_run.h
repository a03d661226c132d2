// The part of a compiled run that several processes do together: compiling once per machine,
// agreeing on failures, and bringing everybody's results to the first. The devices themselves meet
// through halo/runtime/collective.h.
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

// Says in the rank's slot which step is under way.
class SlotWatch : public StepWatch {
 public:
  // Whoever else looks on, or null.
  SlotWatch(const Module& module, const RankPlace& place, StepWatch* other)
      : module_(module), place_(place), other_(other) {}
  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override {
    return other_ != nullptr ? other_->OnEnd(step, buffers) : std::nullopt;
  }

 private:
  const Module& module_;
  const RankPlace& place_;
  StepWatch* other_;
  int64_t steps_ = 0;
};

// One rank of each machine compiles first, the others find its code in the cache. Fails on all
// ranks if it does on one, with that one's reason.
Result<std::unique_ptr<CompiledModule>> CompileInTurn(const Module& module,
                                                      const CompileOptions& options,
                                                      const RankPlace& place);

// What every rank yields, by rank, on the first; nothing on the others.
Result<std::vector<Value>> CollectResults(const Value& own, const RankPlace& place);

// What every rank recorded, on the first.
Result<std::vector<RankTimeline>> CollectTimelines(const std::vector<TimelineEvent>& own,
                                                   const RankPlace& place);

void EnterState(const RankPlace& place, RankState state);

}  // namespace halo

#endif  // HALO_ENGINE_RANK_RUN_H_

// Compares the ranks of a compiled run. Every step's results are digested, and the first rank
// compares the digests where the program says that devices hold the same values. A second run
// captures the values of the step at which they differ.
#ifndef HALO_ENGINE_AGREEMENT_WATCH_H_
#define HALO_ENGINE_AGREEMENT_WATCH_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "halo/api/observe/agreement_table.h"
#include "halo/api/observe/rank_agreement.h"
#include "halo/api/run/compiled_engine.h"
#include "halo/runtime/step_watch.h"

namespace halo {

// One array produced by a step on this rank.
struct StepDigest {
  int64_t sequence = 0;
  InstId inst;
  uint32_t leaf = 0;
  uint64_t digest = 0;
};

class AgreementWatch : public StepWatch {
 public:
  // `other` is the next watch to notify, or null.
  AgreementWatch(const Module& module, StepWatch* other) : module_(module), other_(other) {}

  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override;

  // Prepares for another run: discards all results, and records the value `keep` in that run.
  void Restart(std::optional<DisagreeingDevices> keep);

  [[nodiscard]] const std::vector<StepDigest>& digests() const { return digests_; }
  [[nodiscard]] const Array& kept() const { return kept_; }
  [[nodiscard]] const std::vector<std::pair<InstId, uint64_t>>& kept_operands() const {
    return kept_operands_;
  }

 private:
  const Module& module_;
  StepWatch* other_;
  int64_t steps_ = 0;
  std::vector<StepDigest> digests_;
  std::optional<DisagreeingDevices> keep_;
  Array kept_;
  std::vector<std::pair<InstId, uint64_t>> kept_operands_;  // each array's digest
};

// Covers all ranks, in order: their arguments, the values that must agree, and what they produced.
class AgreementOfRanks {
 public:
  AgreementOfRanks(const Module& module, const DeviceGrid& grid, const RankContext& context)
      : module_(module), grid_(grid), context_(context) {}

  // Call before the run, with this rank's arguments.
  std::optional<Diagnostic> Begin(const InputClasses& stated, std::span<const Value> arguments);
  // Call after the run that `watch` observed. Returns what the first rank reports. Runs the
  // program again if there are values to show.
  using RunAgain = std::function<std::optional<Diagnostic>()>;
  Result<RankAgreement> Summarize(AgreementWatch& watch, std::span<const Value> arguments,
                                  const RunAgain& run);

 private:
  std::optional<Diagnostic> Compare(const AgreementWatch& watch);
  Result<RankDifference> Describe(const DisagreeingDevices& where, const AgreementWatch& watch,
                                  std::span<const Value> arguments);

  const Module& module_;
  DeviceGrid grid_;
  const RankContext& context_;
  std::vector<StepDigest> given_;  // the entry's parameters, before any step
  std::optional<Replication> replication_;
  std::optional<DisagreeingDevices> difference_, divergence_;
  int64_t compared_ = 0;
};

}  // namespace halo

#endif  // HALO_ENGINE_AGREEMENT_WATCH_H_

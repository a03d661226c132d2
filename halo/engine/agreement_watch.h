// Ranks of a compiled run beside each other: digests of what every step made, compared on the first
// rank where the program says that devices hold the same, and in a second run the values of the
// step at which they do not.
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

// One array that a step of this rank made.
struct StepDigest {
  int64_t sequence = 0;
  InstId inst;
  uint32_t leaf = 0;
  uint64_t digest = 0;
};

class AgreementWatch : public StepWatch {
 public:
  // Whoever else looks on, or null.
  AgreementWatch(const Module& module, StepWatch* other) : module_(module), other_(other) {}

  void OnBegin(const Step& step, std::span<void* const> buffers) override;
  std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) override;

  // Before another run: forgets, and keeps this value of it.
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
  std::vector<std::pair<InstId, uint64_t>> kept_operands_;  // arrays by their digests
};

// All ranks, in order: what they are given, what must agree, what they made.
class AgreementOfRanks {
 public:
  AgreementOfRanks(const Module& module, const DeviceGrid& grid, const RankPlace& place)
      : module_(module), grid_(grid), place_(place) {}

  // Before the run, with this rank's arguments.
  std::optional<Diagnostic> Begin(const InputClasses& stated, std::span<const Value> arguments);
  // After it, which `watch` has seen: what is told on the first rank. Runs again where there are
  // values to show.
  using RunAgain = std::function<std::optional<Diagnostic>()>;
  Result<RankAgreement> Answer(AgreementWatch& watch, std::span<const Value> arguments,
                               const RunAgain& run);

 private:
  std::optional<Diagnostic> Compare(const AgreementWatch& watch);
  Result<RankDifference> Describe(const DisagreeingDevices& where, const AgreementWatch& watch,
                                  std::span<const Value> arguments);

  const Module& module_;
  DeviceGrid grid_;
  const RankPlace& place_;
  std::vector<StepDigest> given_;  // the entry's parameters, before any step
  std::optional<Replication> replication_;
  std::optional<DisagreeingDevices> difference_, divergence_;
  int64_t compared_ = 0;
};

}  // namespace halo

#endif  // HALO_ENGINE_AGREEMENT_WATCH_H_

// A program run step after step: results become the next step's parameters, and the state between
// two steps is saved as a checkpoint from which another run continues with the same bits. The
// engines execute the steps; processes of one job agree through a function that the engine gives.
#ifndef HALO_API_STEPS_REPEATED_STEPS_H_
#define HALO_API_STEPS_REPEATED_STEPS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/api/steps/checkpoint_folder.h"
#include "halo/api/steps/checkpoint_manifest.h"
#include "halo/api/steps/fed_results.h"
#include "halo/base/diagnostics/result.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

struct StepsRequest {
  bool feeds_back = false;  // false: every run starts from the same inputs
  std::string folder;       // for checkpoints; empty: none
  int64_t every = 0;        // steps between checkpoints; 0: none are written
  bool resumes = false;     // continue from the checkpoint in the folder, if there is one
  // Options of the run that decide its bits, as name and value.
  std::vector<std::pair<std::string, std::string>> made_with = {};
};

struct StepsReport {
  int64_t resumed = 0;  // steps that the run did not repeat
  int64_t written = 0;  // checkpoints
  int64_t last = 0;     // step of the last checkpoint; 0: there is none
};

// The devices that this process runs, and how it agrees with the other processes.
struct StepsJob {
  int64_t replicas = 1, partitions = 1;
  int64_t first = 0;  // device
  // All processes call it together and get every device's text. Null: this process runs all
  // devices.
  std::function<Result<std::vector<std::string>>(std::string_view own)> gather = nullptr;
};

class RepeatedSteps {
 public:
  static Result<RepeatedSteps> Make(const Module& module, const StepsRequest& request,
                                    StepsJob job);

  // Prepares for `steps` steps in all. `arguments` holds the parameters of each device of this
  // process, which a checkpoint replaces. Returns the number of steps that are done already.
  Result<int64_t> Begin(int64_t steps, std::span<std::vector<Value>> arguments);

  // After a step that is not the last: hands results on, and saves the state if it is time to.
  std::optional<Diagnostic> HandOn(int64_t done, std::span<const Value> results,
                                   std::span<std::vector<Value>> arguments);

  [[nodiscard]] const StepsReport& report() const { return report_; }

 private:
  RepeatedSteps(std::vector<FedResult> fed, StepsRequest request, StepsJob job)
      : fed_(std::move(fed)),
        request_(std::move(request)),
        job_(std::move(job)),
        folder_(request_.folder) {}
  [[nodiscard]] Result<std::vector<std::string>> Exchange(std::string own) const;
  [[nodiscard]] Result<std::string> FirstText(std::string own) const;
  [[nodiscard]] std::optional<Diagnostic> Agree(DiagCode code, const std::string& problem) const;
  [[nodiscard]] std::vector<CheckpointArray> StateOf(int64_t device,
                                                     std::span<const Value> arguments) const;
  [[nodiscard]] std::string Restore(const CheckpointManifest& manifest,
                                    std::span<std::vector<Value>> arguments) const;
  std::optional<Diagnostic> Save(int64_t done, std::span<std::vector<Value>> arguments);
  void Remove(int64_t step, size_t devices) const;

  std::vector<FedResult> fed_;
  StepsRequest request_;
  StepsJob job_;
  CheckpointFolder folder_;
  CheckpointManifest now_;  // of this run; files are those of this process until it saves
  StepsReport report_;
};

}  // namespace halo

#endif  // HALO_API_STEPS_REPEATED_STEPS_H_

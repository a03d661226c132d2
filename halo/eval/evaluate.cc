// Runs all devices in turn, each until it waits or ends, and synchronizes them at collectives.
#include "halo/eval/evaluate.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/machine.h"

namespace halo {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

class Devices {
 public:
  Devices(EvalState& state, std::vector<std::vector<Value>> arguments) : state_(state) {
    for (int64_t device = 0; device < state.grid.count(); ++device) {
      machines_.push_back(std::make_unique<Machine>(state, device));
      machines_.back()->Start(state.module.entry,
                              std::move(arguments[static_cast<size_t>(device)]));
    }
  }

  // Returns no diagnostic once all devices are done or the observer ended the evaluation.
  std::optional<Diagnostic> RunAll() {
    while (true) {
      bool all_done = true;
      for (const std::unique_ptr<Machine>& machine : machines_) {
        machine->Run();
        if (machine->status() == Machine::Status::kFailed) return machine->error();
        if (machine->status() == Machine::Status::kStopped) {
          stopped_ = true;
          return std::nullopt;
        }
        all_done = all_done && machine->status() == Machine::Status::kDone;
      }
      if (all_done) return std::nullopt;
      const Result<bool> combined = CombineReady();
      if (!combined.ok()) return combined.error();
      if (!*combined) return Mismatch();
    }
  }

  [[nodiscard]] bool stopped() const { return stopped_; }
  std::vector<Value> TakeResults() {
    std::vector<Value> results;
    for (const std::unique_ptr<Machine>& machine : machines_) {
      results.push_back(machine->TakeResult());
    }
    return results;
  }

 private:
  [[nodiscard]] bool WaitsAt(int64_t device, InstId inst) const {
    const Machine& machine = *machines_[static_cast<size_t>(device)];
    return machine.status() == Machine::Status::kWaiting && machine.waiting_at() == inst;
  }

  // Runs the collective of every group whose members are all waiting. Returns false if there is
  // none.
  Result<bool> CombineReady() {
    bool any = false;
    for (const std::unique_ptr<Machine>& machine : machines_) {
      if (machine->status() != Machine::Status::kWaiting) continue;
      const InstId inst = machine->waiting_at();
      const Result<const std::vector<int64_t>*> group = GroupWith(inst, machine->device());
      if (!group.ok()) return group.error();
      const std::vector<int64_t>& members = **group;
      if (!std::all_of(members.begin(), members.end(),
                       [&](int64_t device) { return WaitsAt(device, inst); })) {
        continue;
      }
      if (std::optional<Diagnostic> failed = Join(members)) return *std::move(failed);
      any = true;
    }
    return any;
  }

  std::optional<Diagnostic> Join(const std::vector<int64_t>& members) {
    std::vector<OpContext> contexts;
    for (const int64_t device : members) {
      contexts.push_back(machines_[static_cast<size_t>(device)]->WaitingContext());
    }
    Result<std::vector<Value>> values = EvalCollective(contexts, members, state_.grid);
    if (!values.ok()) return values.error();
    for (size_t i = 0; i < members.size(); ++i) {
      machines_[static_cast<size_t>(members[i])]->Resume(std::move((*values)[i]));
    }
    return std::nullopt;
  }

  Result<const std::vector<int64_t>*> GroupWith(InstId inst, int64_t device) {
    const auto [at, added] = groups_.try_emplace(inst.value);
    if (added) {
      Result<Groups> groups = GroupsOf(state_.module, inst, state_.grid);
      if (!groups.ok()) return groups.error();
      at->second = *std::move(groups);
    }
    for (const std::vector<int64_t>& group : at->second) {
      if (std::find(group.begin(), group.end(), device) != group.end()) return &group;
    }
    at->second.push_back({device});
    return &at->second.back();
  }

  [[nodiscard]] Diagnostic Mismatch() const {
    std::string message = "devices wait for each other:";
    size_t told = 0;
    for (const std::unique_ptr<Machine>& machine : machines_) {
      if (++told > 8) {
        message += " ...";
        break;
      }
      message += (told == 1 ? " device " : ", device ") + std::to_string(machine->device());
      if (machine->status() == Machine::Status::kDone) {
        message += " is done";
      } else {
        message +=
            " at %" + std::string(state_.module.name_of(state_.module.inst(machine->waiting_at())));
      }
    }
    return MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0, std::move(message));
  }

  EvalState& state_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::unordered_map<uint32_t, Groups> groups_;
  bool stopped_ = false;
};

}  // namespace

Result<EvalOutput> Evaluate(const Module& module, std::vector<std::vector<Value>> arguments,
                            const EvalOptions& options) {
  EvalState state(module, options);
  if (!module.entry.valid() || static_cast<int64_t>(arguments.size()) != state.grid.count()) {
    return MakeBinaryDiagnostic(diag::kCannotEvaluate, 0,
                                "arguments for " + std::to_string(arguments.size()) +
                                    " devices were given, the module runs on " +
                                    std::to_string(state.grid.count()));
  }
  Devices devices(state, std::move(arguments));
  if (std::optional<Diagnostic> failed = devices.RunAll()) return *std::move(failed);
  EvalOutput output;
  if (!devices.stopped()) output.results = devices.TakeResults();
  output.steps = state.steps;
  output.work = state.work;
  output.peak_bytes = state.meter->peak.load();
  return output;
}

}  // namespace halo

// Every state is compared with the first one, so that errors do not add up unseen.
#include "halo/api/numbers/broken_pass.h"

#include <algorithm>
#include <map>

namespace halo {
namespace {

class Bisection {
 public:
  Bisection(const std::vector<PassState>& states, const ReferenceRun& first,
            const OpenOptions& open)
      : states_(states), first_(first), open_(open) {}

  // Results against those of the first state.
  StateOutcome Check(size_t number) {
    if (const auto known = checked_.find(number); known != checked_.end()) {
      return known->second.outcome;
    }
    CheckedState state;
    state.number = number;
    state.state = states_[number];
    if (number != 0) Run(state);
    return (checked_[number] = std::move(state)).outcome;
  }

  // Narrows to a good and a bad state with only failing ones between.
  void Bisect(size_t& good, size_t& bad) {
    while (true) {
      const std::optional<size_t> next = NextBetween(good, bad);
      if (!next) return;
      (Check(*next) == StateOutcome::kAgrees ? good : bad) = *next;
    }
  }

  [[nodiscard]] std::vector<CheckedState> Take() {
    std::vector<CheckedState> all;
    for (auto& [number, state] : checked_) all.push_back(std::move(state));
    return all;
  }

 private:
  void Run(CheckedState& state) const {
    Document document;
    if (OpenState(state.state, open_, document) == nullptr) {
      state.outcome = StateOutcome::kFailed;
      state.why = "it cannot be read";
      return;
    }
    const RunResult run = first_.RunOther(document, nullptr);
    if (!run.succeeded) {
      state.outcome = StateOutcome::kFailed;
      state.why = run.diagnostics.ok() ? "it cannot be run" : run.diagnostics.all()[0].message;
      return;
    }
    const std::vector<ResultComparison> results = first_.Compare(run);
    state.wrong =
        std::ranges::count_if(results, [](const ResultComparison& each) { return !each.ok(); });
    if (state.wrong != 0) state.outcome = StateOutcome::kDiffers;
  }

  // The state nearest to the middle that can run.
  std::optional<size_t> NextBetween(size_t good, size_t bad) {
    const size_t middle = good + (bad - good) / 2;
    for (size_t away = 0; away <= bad - good; ++away) {
      for (const bool up : {true, false}) {
        if (!up && away > middle) continue;
        const size_t at = up ? middle + away : middle - away;
        if (at <= good || at >= bad) continue;
        if (Check(at) != StateOutcome::kFailed) return at;
      }
    }
    return std::nullopt;
  }

  const std::vector<PassState>& states_;
  const ReferenceRun& first_;
  const OpenOptions& open_;
  std::map<size_t, CheckedState> checked_;
};

}  // namespace

BrokenPass FindBrokenPass(const std::vector<PassState>& states, const NumbersRequest& request,
                          bool every) {
  BrokenPass result;
  result.states = states.size();
  if (states.size() < 2) {
    result.refused =
        "the dump has fewer than two states of the module; XLA writes one after every "
        "pass with --xla_dump_hlo_pass_re=.*";
    return result;
  }
  const OpenOptions& open = request.run.open;
  Document document;
  if (OpenState(states[0], open, document) == nullptr) {
    result.refused = states[0].path + " cannot be read";
    return result;
  }
  const ReferenceRun first(document, request);
  if (!first.ok()) {
    result.refused = states[0].path + " cannot be run";
    for (const Diagnostic& each : first.result().diagnostics.all()) result.diagnostics.Add(each);
    return result;
  }
  Bisection bisection(states, first, open);
  bisection.Check(0);
  size_t good = 0;
  size_t bad = states.size() - 1;
  if (every) {
    for (size_t i = states.size(); i-- > 1;) {
      if (bisection.Check(i) == StateOutcome::kDiffers) bad = i;
    }
  }
  while (bad > 0 && bisection.Check(bad) == StateOutcome::kFailed) --bad;
  const bool differs = bad > 0 && bisection.Check(bad) == StateOutcome::kDiffers;
  if (differs) bisection.Bisect(good, bad);
  result.checked = bisection.Take();
  if (!differs) return result;
  result.good = states[good];
  result.bad = states[bad];
  result.skipped = static_cast<int64_t>(bad - good) - 1;
  Document before, after;
  if (OpenState(states[good], open, before) == nullptr ||
      OpenState(states[bad], open, after) == nullptr) {
    return result;
  }
  // The inputs are those of the first state.
  NumbersRequest again = request;
  again.run = first.RequestForOthers();
  result.between = CompareNumbers(before, after, again);
  result.is_confirmed = result.between.refused.empty() && !result.between.agrees();
  return result;
}

}  // namespace halo

// Walks both lists at once and reads no state after the first that differs.
#include "halo/api/passes/compare_passes.h"

#include <algorithm>

#include "halo/diff/fingerprint/fingerprint.h"

namespace halo {
namespace {

bool SamePoint(const PassState& x, const PassState& y) {
  if (x.pipeline.empty() || y.pipeline.empty()) return x.label == y.label;
  return x.pipeline == y.pipeline && x.pass == y.pass && x.occurrence == y.occurrence;
}

class Side {
 public:
  Side(const std::vector<PassState>& states, const OpenOptions& options)
      : states_(states), options_(options), prints_(states.size()) {}

  // None if it cannot be read, or is past the end.
  std::optional<uint64_t> Print(size_t i) {
    if (i >= states_.size()) return std::nullopt;
    if (!prints_[i]) {
      Document document;
      const Module* module = OpenState(states_[i], options_, document);
      prints_[i] = module == nullptr ? 0 : FingerprintModule(*module);
    }
    return prints_[i];
  }
  // The next state that differs from state i; size() if there is none.
  size_t NextChange(size_t i) {
    const std::optional<uint64_t> print = Print(i);
    size_t at = i + 1;
    while (at < states_.size() && (Print(at) == print || Print(at) == uint64_t{0})) ++at;
    return at;
  }
  [[nodiscard]] size_t size() const { return states_.size(); }
  [[nodiscard]] const PassState& state(size_t i) const { return states_[i]; }
  // Whether a later state is at this point of compilation.
  [[nodiscard]] bool Reaches(size_t from, const PassState& point) const {
    for (size_t i = from; i < states_.size(); ++i) {
      if (SamePoint(states_[i], point)) return true;
    }
    return false;
  }

 private:
  const std::vector<PassState>& states_;
  const OpenOptions& options_;
  std::vector<std::optional<uint64_t>> prints_;
};

ProgramDiff DiffStates(const PassState& before, const PassState& after,
                       const OpenOptions& options) {
  Document a, b;
  const Module* x = OpenState(before, options, a);
  const Module* y = OpenState(after, options, b);
  if (x == nullptr || y == nullptr) return {};
  return DiffPrograms(*x, *y);
}

}  // namespace

PassDiff ComparePasses(const std::vector<PassState>& before, const std::vector<PassState>& after,
                       const OpenOptions& options) {
  PassDiff diff;
  diff.states_before = before.size();
  diff.states_after = after.size();
  if (before.size() < 2 || after.size() < 2) {
    diff.refused = std::string(before.size() < 2 ? "the first" : "the second") +
                   " dump has no states after passes; XLA writes them with "
                   "--xla_dump_hlo_pass_re=.*";
    return diff;
  }
  Side a(before, options), b(after, options);
  size_t i = 0, j = 0;
  if (a.Print(0) != b.Print(0)) {
    diff.first_a = a.state(0);
    diff.first_b = b.state(0);
    diff.pass = a.state(0).Name();
    diff.between = DiffStates(a.state(0), b.state(0), options);
    return diff;
  }
  while (true) {
    ++diff.equal;
    diff.last_a = a.state(i);
    diff.last_b = b.state(j);
    const size_t x = a.NextChange(i);
    const size_t y = b.NextChange(j);
    if (x == a.size() && y == b.size()) return diff;
    if (x < a.size() && y < b.size() && a.Print(x) == b.Print(y)) {
      i = x;
      j = y;
      continue;
    }
    // Of two different passes, the one that the other compilation does not reach any more ran in
    // one only; if both are reached later, the first compilation's order counts.
    const bool only_b = x == a.size() || (y < b.size() && !SamePoint(a.state(x), b.state(y)) &&
                                          b.Reaches(y, a.state(x)) && !a.Reaches(x, b.state(y)));
    const bool only_a = !only_b && (y == b.size() || !SamePoint(a.state(x), b.state(y)));
    if (!only_b) diff.first_a = a.state(x);
    if (!only_a) diff.first_b = b.state(y);
    diff.pass = (only_b ? b.state(y) : a.state(x)).Name();
    if (!only_b) diff.did_a = DiffStates(a.state(i), a.state(x), options);
    if (!only_a) diff.did_b = DiffStates(b.state(j), b.state(y), options);
    diff.between =
        DiffStates(only_b ? a.state(i) : a.state(x), only_a ? b.state(j) : b.state(y), options);
    return diff;
  }
}

}  // namespace halo

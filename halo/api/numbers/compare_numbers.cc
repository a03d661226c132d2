// Values are compared only if a result differs, in as many rounds as memory takes. A value counts
// if nothing between it and a wrong result agrees again beyond doubt; of these, the first in order
// of execution whose replacement repairs a result is reported, since a match may be wrong.
#include "halo/api/numbers/compare_numbers.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "halo/analysis/inputs/input_roles.h"
#include "halo/api/numbers/doubted_values.h"
#include "halo/api/numbers/value_pairs.h"
#include "halo/diff/match/matched_programs.h"

namespace halo {
namespace {

constexpr size_t kMostReplaced = 24;  // values whose replacement is tried

using ValueKey = std::tuple<uint32_t, int64_t, int64_t>;  // pair, device, execution of the pair
using KeptValues = std::map<ValueKey, std::vector<NoiseBounds>>;

std::vector<Array> LeavesOf(const Value& value) {
  std::vector<Array> leaves;
  ForEachArray(value, [&](const Array& array) { leaves.push_back(array); });
  return leaves;
}

// Passes on each execution that belongs to a pair.
class PairObserver : public EvalObserver {
 public:
  PairObserver(const PairsByInst& pairs, size_t insts) : pairs_(pairs), insts_(insts) {}

  bool OnValue(int64_t device, InstId inst, std::span<const Value> /*operands*/,
               const Value& value) override {
    const int64_t execution = ExecutionsOn(device)[inst.index()]++;
    pairs_.Find(inst, execution,
                [&](uint32_t pair, int64_t number) { OnPair({pair, device, number}, value); });
    return !is_done_;
  }

 protected:
  virtual void OnPair(const ValueKey& key, const Value& value) = 0;
  void Finish() { is_done_ = true; }
  std::vector<int64_t>& ExecutionsOn(int64_t device) {
    const auto at = static_cast<size_t>(device);
    if (executions_.size() <= at) executions_.resize(at + 1, std::vector<int64_t>(insts_, 0));
    return executions_[at];
  }
  const PairsByInst& pairs_;

 private:
  size_t insts_;
  bool is_done_ = false;
  std::vector<std::vector<int64_t>> executions_;  // by device and instruction
};

// Keeps values from a certain one on, up to a limit.
class Keeper : public PairObserver {
 public:
  Keeper(const PairsByInst& pairs, size_t insts, int64_t begin, int64_t max_bytes)
      : PairObserver(pairs, insts), begin_(begin), bytes_left_(max_bytes) {}
  KeptValues kept;
  int64_t next = 0;  // the first that was not kept
  bool is_full = false;

 protected:
  void OnPair(const ValueKey& key, const Value& value) override {
    if (next < begin_ || is_full) {
      next += is_full ? 0 : 1;
      return;
    }
    std::vector<NoiseBounds> bounds;
    for (Array& leaf : LeavesOf(value)) {
      bytes_left_ -= 3 * static_cast<int64_t>(leaf.byte_count());
      bounds.emplace_back(std::move(leaf));
    }
    kept.emplace(key, std::move(bounds));
    ++next;
    if (bytes_left_ > 0) return;
    is_full = true;
    Finish();
  }

 private:
  int64_t begin_, bytes_left_;
};

class Widener : public PairObserver {
 public:
  Widener(const PairsByInst& pairs, size_t insts, KeptValues& kept)
      : PairObserver(pairs, insts), kept_(kept) {}

 protected:
  void OnPair(const ValueKey& key, const Value& value) override {
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    size_t leaf = 0;
    ForEachArray(value, [&](const Array& array) {
      if (leaf < found->second.size()) found->second[leaf++].Widen(array);
    });
  }

 private:
  KeptValues& kept_;
};

// What is known about a pair.
struct PairState {
  bool is_compared = false;
  bool is_equal = true;  // to the bit
  bool differs = false;
  int64_t sequence = INT64_MAX;  // of the first different execution in the second program
  ValueDifference difference;
};

class Comparison : public PairObserver {
 public:
  Comparison(const PairsByInst& pairs, size_t insts, const KeptValues& kept, int64_t summed,
             std::vector<PairState>& states)
      : PairObserver(pairs, insts), kept_(kept), summed_(summed), states_(states) {}

 protected:
  void OnPair(const ValueKey& key, const Value& value) override {
    ++sequence_;
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    const std::vector<Array> leaves = LeavesOf(value);
    if (leaves.size() != found->second.size()) return;
    PairState& state = states_[std::get<0>(key)];
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const Tolerance tolerance = DefaultTolerance(leaves[leaf].type(), summed_);
      ArrayComparison result = found->second[leaf].Compare(leaves[leaf], tolerance);
      if (!result.comparable) continue;
      state.is_compared = true;
      if (result.different == 0) continue;
      state.is_equal = false;
      // The first that is beyond rounding; if there is none, the first that is not equal.
      const bool differs = !result.ok();
      if (differs == state.differs ? sequence_ >= state.sequence : state.differs) continue;
      state.differs = differs;
      state.sequence = sequence_;
      ValueDifference& where = state.difference;
      std::tie(std::ignore, where.device, where.execution) = key;
      where.leaf = leaf;
      where.is_tuple = value.is_tuple();
      where.type = leaves[leaf].type();
      where.dims.assign(leaves[leaf].dims().begin(), leaves[leaf].dims().end());
      where.result = std::move(result);
    }
  }

 private:
  const KeptValues& kept_;
  int64_t summed_, sequence_ = 0;
  std::vector<PairState>& states_;
};

// Takes the values of one pair from the first program.
class Taker : public PairObserver {
 public:
  using PairObserver::PairObserver;
  std::map<ValueKey, Value> taken;

 protected:
  void OnPair(const ValueKey& key, const Value& value) override { taken.emplace(key, value); }
};

// Puts them in the place of those of the second program.
class Replacer : public EvalObserver {
 public:
  Replacer(const PairsByInst& pairs, size_t insts, const std::map<ValueKey, Value>& taken)
      : pairs_(pairs), insts_(insts), taken_(taken) {}

  void Replace(int64_t device, InstId inst, Value& value) override {
    const auto at = static_cast<size_t>(device);
    if (executions_.size() <= at) executions_.resize(at + 1, std::vector<int64_t>(insts_, 0));
    const int64_t execution = executions_[at][inst.index()]++;
    pairs_.Find(inst, execution, [&](uint32_t pair, int64_t number) {
      const auto found = taken_.find({pair, device, number});
      if (found == taken_.end() || !SameShape(found->second, value)) return;
      value = found->second;
    });
  }
  bool OnValue(int64_t /*device*/, InstId /*inst*/, std::span<const Value> /*operands*/,
               const Value& /*value*/) override {
    return true;
  }

 private:
  static bool SameShape(const Value& a, const Value& b) {
    const std::vector<Array> x = LeavesOf(a);
    const std::vector<Array> y = LeavesOf(b);
    return a.kind() == b.kind() && std::ranges::equal(x, y, [](const Array& p, const Array& q) {
             return p.type() == q.type() && std::ranges::equal(p.dims(), q.dims());
           });
  }

  const PairsByInst& pairs_;
  size_t insts_;
  const std::map<ValueKey, Value>& taken_;
  std::vector<std::vector<int64_t>> executions_;
};

int64_t CountWrong(const std::vector<ResultComparison>& results) {
  return std::ranges::count_if(results, [](const ResultComparison& each) { return !each.ok(); });
}

class Finder {
 public:
  Finder(const ReferenceRun& before, const Document& after, std::vector<int64_t> executions,
         NumbersResult& result)
      : before_(before),
        after_(after),
        programs_(before.document().modules.front().module, after.modules.front().module),
        executions_(std::move(executions)),
        result_(result) {}

  void Find(int64_t summed) {
    if (!programs_.graph_a.is_complete() || !programs_.graph_b.is_complete()) return;
    FindAncestors();
    pairs_ = FindValuePairs(programs_, wanted_, before_.executions(), executions_);
    pair_of_.assign(programs_.classes_b.size(), kUnmatched);
    states_.resize(pairs_.size());
    PairsByInst by_a(programs_.a.insts.size());
    PairsByInst by_b(programs_.b.insts.size());
    for (uint32_t i = 0; i < pairs_.size(); ++i) {
      pair_of_[pairs_[i].b] = i;
      AddPair(i, by_a, by_b);
    }
    CompareValues(by_a, by_b, summed);
    for (const PairState& state : states_) result_.values += state.is_compared ? 1 : 0;
    FindAgreement();
    Choose();
  }

 private:
  void AddPair(uint32_t pair, PairsByInst& by_a, PairsByInst& by_b) const {
    by_a.Add(pairs_[pair].before, pair);
    for (const ExecutedNode& node : pairs_[pair].after) by_b.Add(node, pair);
  }

  // The values that a wrong result is taken from.
  [[nodiscard]] std::vector<uint32_t> WrongOutputs() const {
    std::vector<uint32_t> classes;
    const std::vector<ClassEdge>& outputs = programs_.classes_b.outputs();
    for (const ResultComparison& each : result_.results) {
      if (!each.ok() && each.leaf < outputs.size()) classes.push_back(outputs[each.leaf].from);
    }
    return classes;
  }

  // Walks from the wrong results to what they are computed from, as far as `enter` says.
  template <class Enter>
  void WalkBack(const Enter& enter) const {
    std::vector<bool> seen(programs_.classes_b.size(), false);
    std::vector<uint32_t> open = WrongOutputs();
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (seen[at]) continue;
      seen[at] = true;
      if (!enter(at)) continue;
      for (const ClassEdge& edge : programs_.classes_b.edges(at)) open.push_back(edge.from);
    }
  }

  void FindAncestors() {
    wanted_.assign(programs_.classes_b.size(), false);
    WalkBack([&](uint32_t at) { return wanted_[at] = true; });
  }

  void CompareValues(const PairsByInst& by_a, const PairsByInst& by_b, int64_t summed) {
    int64_t begin = 0;
    while (true) {
      Keeper keeper(by_a, programs_.a.insts.size(), begin, before_.max_kept_bytes());
      if (!before_.Again(&keeper).diagnostics.ok()) return;
      for (int i = 0; i < before_.moved_runs(); ++i) {
        Widener widener(by_a, programs_.a.insts.size(), keeper.kept);
        before_.Moved(i, &widener);
      }
      Comparison comparison(by_b, programs_.b.insts.size(), keeper.kept, summed, states_);
      before_.RunOther(after_, &comparison);
      if (!keeper.is_full) return;
      begin = keeper.next;
    }
  }

  void FindAgreement() {
    values_.resize(programs_.classes_b.size());
    for (uint32_t b = 0; b < values_.size(); ++b) {
      const uint32_t a = programs_.match.to_a[b];
      AgreedValue& value = values_[b];
      value.partner = a;
      if (a != kUnmatched && programs_.match.reasons[a] == MatchReason::kSameValue) {
        value.agreement = ValueAgreement::kEqual;
      } else if (pair_of_[b] != kUnmatched) {
        const PairState& state = states_[pair_of_[b]];
        value.partner = pairs_[pair_of_[b]].a;
        value.agreement = !state.is_compared ? ValueAgreement::kUnknown
                          : state.differs    ? ValueAgreement::kDiffers
                          : state.is_equal   ? ValueAgreement::kEqual
                                             : ValueAgreement::kClose;
      }
    }
  }

  [[nodiscard]] OperandAgreement AgreementOf(uint32_t b) const {
    switch (values_[b].agreement) {
      case ValueAgreement::kUnknown: return OperandAgreement::kUnknown;
      case ValueAgreement::kDiffers: return OperandAgreement::kDiffers;
      case ValueAgreement::kEqual:
      case ValueAgreement::kClose: break;
    }
    return OperandAgreement::kSame;
  }

  void Choose() {
    const std::vector<bool> doubted = FindDoubted(programs_, values_);
    std::vector<uint32_t> candidates;
    WalkBack([&](uint32_t at) {
      const OperandAgreement agreement = AgreementOf(at);
      if (agreement == OperandAgreement::kDiffers ||
          (doubted[at] && !IsSameOp(programs_, values_, at))) {
        candidates.push_back(pair_of_[at]);
      }
      return agreement != OperandAgreement::kSame || doubted[at];
    });
    if (candidates.empty()) return;
    std::ranges::sort(candidates, {}, [&](uint32_t pair) { return states_[pair].sequence; });
    uint32_t chosen = candidates.front();
    int64_t repaired = 0;
    for (size_t i = 0; i < std::min(kMostReplaced, candidates.size()) && repaired == 0; ++i) {
      repaired = CountRepaired(candidates[i]);
      if (repaired != 0) chosen = candidates[i];
    }
    Describe(chosen, repaired);
  }

  // How many wrong results the first program's value makes right; 0 if it makes one wrong.
  [[nodiscard]] int64_t CountRepaired(uint32_t pair) const {
    PairsByInst by_a(programs_.a.insts.size());
    PairsByInst by_b(programs_.b.insts.size());
    AddPair(pair, by_a, by_b);
    Taker taker(by_a, programs_.a.insts.size());
    before_.Again(&taker);
    Replacer replacer(by_b, programs_.b.insts.size(), taker.taken);
    const RunResult run = before_.RunOther(after_, &replacer);
    if (!run.succeeded) return 0;
    const std::vector<ResultComparison> now = before_.Compare(run);
    int64_t repaired = 0;
    for (size_t i = 0; i < std::min(now.size(), result_.results.size()); ++i) {
      const bool was = result_.results[i].ok();
      if (was && !now[i].ok()) return 0;
      repaired += !was && now[i].ok() ? 1 : 0;
    }
    return repaired;
  }

  void Describe(uint32_t chosen, int64_t repaired) {
    const ValuePair& pair = pairs_[chosen];
    ValueDifference found = std::move(states_[chosen].difference);
    found.before = LocationOf(programs_.a, pair.before.inst);
    found.after = LocationOf(programs_.b, pair.after.front().inst);
    found.confidence = pair.confidence;
    found.repaired = repaired;
    for (const ClassEdge& edge : programs_.classes_b.edges(pair.b)) {
      const InstId inst = programs_.classes_b.node(edge.from).inst;
      found.operands.push_back(
          {std::string(programs_.b.name_of(programs_.b.inst(inst))), AgreementOf(edge.from)});
    }
    result_.first = std::move(found);
  }

  const ReferenceRun& before_;
  const Document& after_;
  const MatchedPrograms programs_;
  std::vector<int64_t> executions_;
  NumbersResult& result_;
  std::vector<bool> wanted_;  // by class of the second program
  std::vector<ValuePair> pairs_;
  std::vector<uint32_t> pair_of_;  // by class of the second program
  std::vector<PairState> states_;
  std::vector<AgreedValue> values_;  // by class of the second program
};

void Refuse(const RunResult& run, const std::string& path, NumbersResult& result) {
  result.refused = path + " cannot be run";
  result.failed = path;
  if (run.document.errors() != 0) {
    for (const Diagnostic* each : run.document.AllDiagnostics()) result.diagnostics.Add(*each);
  }
  for (const Diagnostic& each : run.diagnostics.all()) result.diagnostics.Add(each);
}

}  // namespace

std::string_view TextOf(OperandAgreement agreement) {
  return EnumTexts(agreement)[static_cast<size_t>(agreement)];
}

int64_t NumbersResult::wrong() const { return CountWrong(results); }

NumbersResult CompareNumbers(const Document& before, const Document& after,
                             const NumbersRequest& request) {
  const ReferenceRun reference(before, request);
  return CompareNumbers(reference, after);
}

NumbersResult CompareNumbers(const ReferenceRun& before, const Document& after) {
  NumbersResult result;
  if (!before.ok()) {
    Refuse(before.result(), before.document().path, result);
    return result;
  }
  const bool is_read = !after.modules.empty() && after.errors() == 0;
  if (is_read) {
    const size_t taken = before.result().inputs.list.size();
    const size_t takes = InputLeaves(after.modules.front().module).size();
    if (taken != takes) {
      result.refused = "the programs do not take the same arrays: " + before.document().path +
                       " has " + std::to_string(taken) + " parameters, " + after.path + " has " +
                       std::to_string(takes);
      return result;
    }
  }
  ExecutionCounter counter(is_read ? after.modules.front().module : Module());
  const RunResult run = before.RunOther(after, is_read ? &counter : nullptr);
  if (!run.succeeded) {
    Refuse(run, after.path, result);
    return result;
  }
  result.results = before.Compare(run);
  if (result.wrong() != 0) {
    Finder(before, after, std::move(counter.counts), result)
        .Find(std::max(before.result().longest_sum, run.longest_sum));
  }
  return result;
}

}  // namespace halo

// Values come first, then computations by how many of their values correspond, then callers of
// corresponding computations, and last what only passes on a value that both programs have.
#include "halo/view/compare/inst_match.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "halo/analysis/graph/call_graph.h"
#include "halo/diff/explain/edits.h"
#include "halo/ir/op_properties.h"

namespace halo::view {
namespace {

class InstMatcher {
 public:
  InstMatcher(const MatchedPrograms& programs, const ProgramDiff& diff)
      : programs_(programs),
        diff_(diff),
        a_(programs.a),
        b_(programs.b),
        calls_a_(programs.a),
        calls_b_(programs.b) {
    Begin(a_, match_.before);
    Begin(b_, match_.after);
  }

  InstMatch Match() {
    // Programs that cannot be compared have no values to start from.
    if (!diff_.refused.empty()) return std::move(match_);
    PairValues();
    PairComputations();
    PairCallers();
    PairApplied();
    PairPassing();
    SetEdits();
    SetPlaced();
    SpreadToCallers(a_, calls_a_, match_.before);
    SpreadToCallers(b_, calls_b_, match_.after);
    return std::move(match_);
  }

 private:
  static void Begin(const Module& module, InstSide& side) {
    side.states.assign(module.insts.size(), InstState::kAside);
    side.partners.assign(module.insts.size(), InstId());
    side.comps.assign(module.comps.size(), CompId());
  }

  // Does nothing if one of them has a partner already.
  void Pair(InstId x, InstId y) {
    if (!x.valid() || !y.valid()) return;
    InstId& to_b = match_.before.partners[x.index()];
    InstId& to_a = match_.after.partners[y.index()];
    if (to_b.valid() || to_a.valid()) return;
    to_b = y;
    to_a = x;
    Raise(match_.before, x, InstState::kSame);
    Raise(match_.after, y, InstState::kSame);
  }

  static void Raise(InstSide& side, InstId inst, InstState state) {
    InstState& now = side.states[inst.index()];
    now = std::max(now, state);
  }

  void PairValues() {
    for (uint32_t x = 0; x < programs_.classes_a.size(); ++x) {
      const uint32_t y = programs_.match.to_b[x];
      if (y == kUnmatched) continue;
      const auto before = programs_.classes_a.members(x);
      const auto after = programs_.classes_b.members(y);
      for (size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
        Pair(programs_.graph_a.nodes[before[i]].inst, programs_.graph_b.nodes[after[i]].inst);
      }
    }
  }

  void PairComp(CompId x, CompId y) {
    if (!x.valid() || !y.valid()) return;
    CompId& to_b = match_.before.comps[x.index()];
    CompId& to_a = match_.after.comps[y.index()];
    if (to_b.valid() || to_a.valid()) return;
    to_b = y;
    to_a = x;
  }

  // Those with the most corresponding instructions.
  void PairComputations() {
    PairComp(a_.entry, b_.entry);
    std::map<std::pair<CompId, CompId>, uint32_t> votes;
    for (uint32_t i = 0; i < a_.insts.size(); ++i) {
      const InstId partner = match_.before.partners[i];
      if (partner.valid()) ++votes[{a_.insts[i].parent, b_.inst(partner).parent}];
    }
    std::vector<std::tuple<uint32_t, CompId, CompId>> order;
    order.reserve(votes.size());
    for (const auto& [pair, count] : votes) order.emplace_back(count, pair.first, pair.second);
    std::sort(order.begin(), order.end(), [](const auto& x, const auto& y) {
      if (std::get<0>(x) != std::get<0>(y)) return std::get<0>(x) > std::get<0>(y);
      return x < y;
    });
    for (const auto& [count, x, y] : order) PairComp(x, y);
  }

  void PairCallers() {
    for (uint32_t i = 0; i < a_.comps.size(); ++i) {
      const CompId other = match_.before.comps[i];
      if (!other.valid()) continue;
      const auto before = calls_a_.callers(CompId(i));
      const auto after = calls_b_.callers(other);
      if (before.size() != 1 || after.size() != 1) continue;
      if (a_.inst(before[0]).opcode == b_.inst(after[0]).opcode) Pair(before[0], after[0]);
    }
  }

  // Computations that are applied, such as reducers, hold no values of the program. Those of
  // corresponding instructions correspond line by line.
  void PairApplied() {
    std::vector<CompId> before, after;
    for (uint32_t i = 0; i < a_.insts.size(); ++i) {
      const InstId partner = match_.before.partners[i];
      if (!partner.valid()) continue;
      before.clear();
      after.clear();
      a_.CalledBy(a_.insts[i], before);
      b_.CalledBy(b_.inst(partner), after);
      if (before.size() != after.size()) continue;
      for (size_t k = 0; k < before.size(); ++k) {
        PairComp(before[k], after[k]);
        if (match_.before.comps[before[k].index()] != after[k]) continue;
        const Computation& x = a_.comp(before[k]);
        const Computation& y = b_.comp(after[k]);
        if (calls_a_.context(before[k]) != CallGraph::Context::kEmbedded || x.count != y.count) {
          continue;
        }
        for (uint32_t n = 0; n < x.count; ++n) {
          if (a_.insts[x.first + n].opcode != b_.insts[y.first + n].opcode) break;
          Pair(InstId(x.first + n), InstId(y.first + n));
        }
      }
    }
  }

  // What an instruction that is no value passes on: its first operand, or for a parameter what the
  // caller gives, or else its number.
  struct Passed {
    CompId comp;
    Opcode opcode = Opcode::kUnknown;
    InstId from;
    int64_t number = 0;
    auto operator<=>(const Passed&) const = default;
  };
  static Passed PassedBy(const Module& module, const CallGraph& calls, InstId id) {
    const Inst& inst = module.inst(id);
    Passed key{inst.parent, inst.opcode, {}, 0};
    if (FlowOf(inst.opcode) == OpFlow::kParameter) {
      const auto callers = calls.callers(inst.parent);
      key.number = inst.extra;
      if (callers.empty()) return key;
      const Inst& caller = module.inst(callers.front());
      if (FlowOf(caller.opcode) == OpFlow::kFusion && inst.extra < caller.operand_count) {
        key.from = module.operands_of(caller)[inst.extra];
        key.number = 0;
      }
      return key;
    }
    if (inst.operand_count != 0) key.from = module.operands_of(inst)[0];
    key.number = module.IntOr(inst.attrs, AttrKey::k_index, inst.operand_count);
    return key;
  }

  static std::vector<bool> Computes(const Module& module, const ValueGraph& graph) {
    std::vector<bool> computes(module.insts.size(), false);
    for (const ValueNode& node : graph.nodes) computes[node.inst.index()] = true;
    std::vector<CompId> called;
    for (uint32_t i = 0; i < module.insts.size(); ++i) {
      called.clear();
      module.CalledBy(module.insts[i], called);
      if (!called.empty()) computes[i] = true;
    }
    return computes;
  }

  // Tuples, their elements, bitcasts, copies and parameters of kernels: paired in order, if they
  // pass on corresponding values in corresponding computations.
  void PairPassing() {
    const std::vector<bool> computes_a = Computes(a_, programs_.graph_a);
    const std::vector<bool> computes_b = Computes(b_, programs_.graph_b);
    struct Waiting {
      std::vector<InstId> insts;
      size_t next = 0;
    };
    std::map<Passed, Waiting> waiting;
    for (uint32_t i = 0; i < b_.insts.size(); ++i) {
      if (computes_b[i] || match_.after.partners[i].valid()) continue;
      waiting[PassedBy(b_, calls_b_, InstId(i))].insts.push_back(InstId(i));
    }
    // Kernels come before what calls them, but their parameters follow from the callers' operands.
    for (const bool are_parameters : {false, true}) {
      for (uint32_t i = 0; i < a_.insts.size(); ++i) {
        const bool is_parameter = FlowOf(a_.insts[i].opcode) == OpFlow::kParameter;
        if (is_parameter != are_parameters || computes_a[i]) continue;
        if (match_.before.partners[i].valid()) continue;
        Passed key = PassedBy(a_, calls_a_, InstId(i));
        key.comp = match_.before.comps[key.comp.index()];
        if (key.from.valid()) {
          key.from = match_.before.partners[key.from.index()];
          if (!key.from.valid()) continue;
        }
        const auto found = waiting.find(key);
        if (!key.comp.valid() || found == waiting.end()) continue;
        Waiting& candidates = found->second;
        if (candidates.next < candidates.insts.size()) {
          Pair(InstId(i), candidates.insts[candidates.next++]);
        }
      }
    }
  }

  void SetEdits() {
    const auto raise = [](const ClassGraph& classes, uint32_t c, InstState state, InstSide& side) {
      if (c == kUnmatched) return;
      for (const uint32_t member : classes.members(c)) {
        Raise(side, classes.graph().nodes[member].inst, state);
      }
    };
    for (const Edit& edit : FindEdits(programs_).values) {
      InstState state = InstState::kOnly;
      if (edit.kind == EditKind::kChanged) state = InstState::kChanged;
      if (edit.kind == EditKind::kRewired) state = InstState::kRewired;
      raise(programs_.classes_a, edit.a, state, match_.before);
      raise(programs_.classes_b, edit.b, state, match_.after);
    }
  }

  void SetPlaced() {
    const std::vector<CauseInsts> insts = InstsOfCauses(programs_, diff_);
    for (size_t i = 0; i < insts.size(); ++i) {
      const CauseKind kind = diff_.causes[i].kind;
      if (kind == CauseKind::kValues || kind == CauseKind::kOutputs) continue;
      const auto state = [&](const InstSide& side, InstId inst) {
        const bool is_one_sided = kind == CauseKind::kCopy && !side.partners[inst.index()].valid();
        return is_one_sided ? InstState::kOnly : InstState::kPlaced;
      };
      for (const InstId inst : insts[i][0]) Raise(match_.before, inst, state(match_.before, inst));
      for (const InstId inst : insts[i][1]) Raise(match_.after, inst, state(match_.after, inst));
    }
  }

  // A caller computes no value itself: it is new if everything in it is, and differs inside if
  // something in it does.
  static void SpreadToCallers(const Module& module, const CallGraph& calls, InstSide& side) {
    if (calls.cyclic().valid()) return;
    for (const CompId comp : calls.post_order()) {
      const Computation& record = module.comp(comp);
      bool differs = false;
      bool all_new = true;
      bool has_values = false;
      for (uint32_t i = record.first; i < record.first + record.count; ++i) {
        const InstState state = side.states[i];
        differs = differs || state > InstState::kSame;
        if (state == InstState::kAside || FlowOf(module.insts[i].opcode) == OpFlow::kParameter) {
          continue;
        }
        has_values = true;
        all_new = all_new && state == InstState::kOnly;
      }
      if (!differs) continue;
      for (const InstId caller : calls.callers(comp)) {
        const bool is_new = has_values && all_new && !side.partners[caller.index()].valid();
        Raise(side, caller, is_new ? InstState::kOnly : InstState::kInside);
      }
    }
  }

  const MatchedPrograms& programs_;
  const ProgramDiff& diff_;
  const Module& a_;
  const Module& b_;
  CallGraph calls_a_, calls_b_;
  InstMatch match_;
};

using InstsByName = std::unordered_map<std::string_view, InstId>;

// Only the names that causes mention. Names are unique in what XLA prints; of others the first
// counts.
InstsByName FindNames(const Module& module, const std::unordered_set<std::string_view>& wanted) {
  InstsByName found;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const std::string_view name = module.name_of(module.insts[i]);
    if (wanted.contains(name)) found.try_emplace(name, InstId(i));
  }
  return found;
}

}  // namespace

std::string_view TextOf(InstState state) {
  static constexpr std::array<std::string_view, kInstStates> kTexts = {
      "aside", "same", "placed", "inside", "rewired", "changed", "only"};
  return kTexts[static_cast<size_t>(state)];
}

InstMatch MatchInsts(const MatchedPrograms& programs, const ProgramDiff& diff) {
  return InstMatcher(programs, diff).Match();
}

std::vector<CauseInsts> InstsOfCauses(const MatchedPrograms& programs, const ProgramDiff& diff) {
  std::unordered_set<std::string_view> before, after;
  for (const DiffCause& cause : diff.causes) {
    for (const DiffPlace& place : cause.places) {
      if (!place.before.empty()) before.insert(place.before);
      if (!place.after.empty()) after.insert(place.after);
    }
  }
  const InstsByName in_a = FindNames(programs.a, before);
  const InstsByName in_b = FindNames(programs.b, after);
  std::vector<CauseInsts> out(diff.causes.size());
  for (size_t i = 0; i < diff.causes.size(); ++i) {
    std::unordered_set<uint32_t> seen[2];
    const auto add = [&](size_t side, const InstsByName& known, std::string_view name) {
      const auto found = known.find(name);
      if (found == known.end() || !seen[side].insert(found->second.value).second) return;
      out[i][side].push_back(found->second);
    };
    for (const DiffPlace& place : diff.causes[i].places) {
      add(0, in_a, place.before);
      add(1, in_b, place.after);
    }
  }
  return out;
}

}  // namespace halo::view

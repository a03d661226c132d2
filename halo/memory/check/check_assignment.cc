// Runs the checks over one set of facts. The sweep finds overlaps; the rules that look at one value
// or one allocation at a time are in check_rules.cc.
#include "halo/memory/check/check_assignment.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "halo/memory/check/check_facts.h"
#include "halo/memory/check/check_report.h"
#include "halo/memory/check/check_rules.h"
#include "halo/memory/check/check_sweep.h"

namespace halo {
namespace check {
namespace {

class Overlaps {
 public:
  Overlaps(const Assignment& assignment, const Facts& facts, CheckRules rules, Report& report)
      : assignment_(assignment), facts_(facts), rules_(rules), report_(report) {}

  void Check() {
    CollectGroups();
    CheckNeeds();
    const auto touch = [&](const Occupied& dying, const Occupied& born) {
      return MayTouch(dying, born);
    };
    const auto clash = [&](const Occupied& a, const Occupied& b) { ReportClash(a, b); };
    const SweepResult result = Sweep(std::move(items_), touch, clash);
    report_.coverage().pairs = result.pairs;
    if (!result.counted_all) report_.SetIncomplete();
  }

 private:
  [[nodiscard]] bool IsPlaced(const AssignedValue& value) const {
    return value.allocation.valid() && value.size > 0 && value.offset >= 0 &&
           value.size <= INT64_MAX - value.offset;
  }

  void AddItem(uint32_t id, LiveRange live) {
    const AssignedValue& value = assignment_.values[id];
    items_.push_back({ValueId(id), facts_.groups[id], value.allocation, value.offset,
                      value.offset + value.size, live});
  }

  void CollectGroups() {
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!IsPlaced(value)) continue;
      by_group_.push_back(i);
      const Allocation& allocation = assignment_.allocation(value.allocation);
      if (value.live.known() && value.live.end >= value.live.start) {
        AddItem(i, value.live);
      } else if (facts_.knows_aliases && (allocation.is_thread_local || allocation.is_constant)) {
        AddItem(i, {0, facts_.end});
      }
    }
    std::ranges::sort(by_group_, {}, [&](uint32_t i) { return std::pair(facts_.groups[i], i); });
  }

  // Every need must be inside some printed live range of the group.
  void CheckNeeds() {
    size_t at = 0;
    for (size_t n = 0; n < facts_.needs.size();) {
      const uint32_t group = facts_.needs[n].group;
      size_t next = n;
      while (next < facts_.needs.size() && facts_.needs[next].group == group) ++next;
      while (at < by_group_.size() && facts_.groups[by_group_[at]] < group) ++at;
      size_t last = at;
      while (last < by_group_.size() && facts_.groups[by_group_[last]] == group) ++last;
      if (last > at) {
        CheckGroup({by_group_.data() + at, last - at}, {facts_.needs.data() + n, next - n});
      }
      n = next;
      at = last;
    }
  }

  void CheckGroup(std::span<const uint32_t> values, std::span<const Need> needs) {
    std::vector<LiveRange> printed;
    for (const uint32_t id : values) {
      const AssignedValue& value = assignment_.values[id];
      if (assignment_.allocation(value.allocation).is_thread_local) return;
      if (value.live.known()) printed.push_back(value.live);
    }
    std::ranges::sort(printed, {}, &LiveRange::start);
    std::vector<LiveRange> lives;
    for (const LiveRange& range : printed) {
      if (!lives.empty() && range.start - 1 <= lives.back().end) {
        lives.back().end = std::max(lives.back().end, range.end);
      } else {
        lives.push_back(range);
      }
    }
    for (const Need& need : needs) {
      auto at = std::ranges::upper_bound(lives, need.range.start, {}, &LiveRange::start);
      if (at != lives.begin() && std::prev(at)->end >= need.range.end) continue;
      const auto writer = std::ranges::find(
          values, need.range.start, [&](uint32_t id) { return facts_.DefinedAt(ValueId(id)); });
      AddItem(writer == values.end() ? values.front() : *writer, need.range);
      if (printed.empty()) continue;  // nothing is claimed; the need itself is the live range
      const uint32_t id = Closest(values, need.range);
      report_.Add({FindingKind::kWrongLiveRange,
                   ValueId(id),
                   {},
                   assignment_.values[id].allocation,
                   0,
                   0,
                   need.range,
                   assignment_.NameOf(assignment_.values[id]) + " must keep its contents from " +
                       std::to_string(need.range.start) + " to " + std::to_string(need.range.end) +
                       ", but its live range is printed as " +
                       RangeText(assignment_.values[id].live) + "."});
    }
  }

  // The value whose live range the need belongs to: the last one that starts before it.
  [[nodiscard]] uint32_t Closest(std::span<const uint32_t> values, const LiveRange& need) const {
    uint32_t best = values.front();
    for (const uint32_t id : values) {
      const LiveRange& live = assignment_.values[id].live;
      const LiveRange& known = assignment_.values[best].live;
      const bool before = live.start <= need.start;
      if (before && (known.start > need.start || live.start >= known.start)) best = id;
    }
    return best;
  }

  bool MayTouch(const Occupied& dying, const Occupied& born) {
    switch (facts_.MayReplace(dying.value, born.value, dying.begin - born.begin)) {
      case Permission::kYes: return true;
      case Permission::kUnproven: ++report_.coverage().unproven_pairs; return true;
      case Permission::kNo: return false;
    }
    return false;
  }

  // The private state of a call on a TPU's SparseCore, {2,k} of the async op. The core runs its
  // calls one after the other, and XLA plans the states of in-flight calls on top of each other.
  // Without a module, the index alone must decide, and only for a program known to be a TPU's.
  [[nodiscard]] bool IsCallState(const Occupied& item) const {
    if (rules_ != CheckRules::kTpu && rules_ != CheckRules::kAny) return false;
    const auto index = assignment_.index(assignment_.value(item.value).index);
    if (index.size() != 2 || index[0] != 2) return false;
    return facts_.IsAsyncCall(item.value).value_or(rules_ == CheckRules::kTpu);
  }

  // Whether the contents of `old` no longer matter where `born` lives, whatever live ranges say.
  bool IsOver(const Occupied& old, const Occupied& born) {
    if (walks_left_-- <= 0) return false;
    switch (facts_.IsReadAfter(old.group, born.value, born.live)) {
      case Later::kNever: return true;
      case Later::kAtOnce: return MayTouch(old, born);
      case Later::kYes: return false;
    }
    return false;
  }

  void ReportClash(const Occupied& a, const Occupied& b) {
    if (a.value == b.value) return;
    if (IsCallState(a) && IsCallState(b)) {
      ++report_.coverage().unproven_pairs;
      return;
    }
    if (IsOver(a, b) || IsOver(b, a)) return;
    if (!report_.IsKeeping()) return report_.Count(FindingKind::kOverlap);
    const int64_t begin = std::max(a.begin, b.begin);
    const int64_t end = std::min(a.end, b.end);
    const LiveRange time{std::max(a.live.start, b.live.start), std::min(a.live.end, b.live.end)};
    const bool touching =
        time.start == time.end && (a.live.end == b.live.start) != (b.live.end == a.live.start);
    std::string text = assignment_.NameOf(assignment_.value(a.value)) + " and " +
                       assignment_.NameOf(assignment_.value(b.value)) + " share " +
                       std::to_string(end - begin) + " bytes of allocation " +
                       std::to_string(a.allocation.value);
    if (touching) {
      text += " at time " + std::to_string(time.start) +
              ", where the first is last read and the second is written; this op must not run in "
              "place.";
    } else {
      text += " while both are live, from " + std::to_string(time.start) + " to " +
              std::to_string(time.end) + ".";
    }
    report_.Add(
        {FindingKind::kOverlap, a.value, b.value, a.allocation, begin, end, time, std::move(text)});
  }

  const Assignment& assignment_;
  const Facts& facts_;
  CheckRules rules_;
  Report& report_;
  std::vector<uint32_t> by_group_;  // placed values
  std::vector<Occupied> items_;
  int64_t walks_left_ = int64_t{1} << 16;  // a bound for plans with very many overlaps
};

void DescribeCoverage(const Assignment& assignment, const Facts& facts, bool with_module,
                      CheckCoverage& coverage) {
  coverage.module = with_module;
  coverage.uses = !assignment.uses.empty();
  for (uint32_t i = 0; i < assignment.values.size(); ++i) {
    const AssignedValue& value = assignment.values[i];
    coverage.live_ranges |= value.live.known();
    if (!value.allocation.valid()) continue;
    ++coverage.values;
    coverage.unknown_values += facts.IsKnown(ValueId(i)) ? 0 : 1;
  }
  if (!coverage.live_ranges && facts.needs.empty()) {
    coverage.not_checked.emplace_back(
        "overlaps: neither the assignment nor a scheduled module provides live ranges");
  }
  if (!facts.knows_needs) {
    coverage.not_checked.emplace_back(
        "live ranges against the module: its tuples are read too often to follow");
  }
  if (!with_module) {
    coverage.not_checked.emplace_back(
        "values that the assignment does not mention and aliases of the module's header: there is "
        "no module");
  }
}

}  // namespace
}  // namespace check

AssignmentFindings CheckAssignment(const Assignment& assignment, const Module* module,
                                   const AssignmentCheckOptions& options) {
  check::Report report(options.max_findings);
  std::unique_ptr<check::Facts> facts;
  if (module != nullptr) {
    facts = check::FactsOfModule(assignment, *module, options.rules);
    if (facts == nullptr) {
      report.coverage().not_checked.emplace_back(
          "rules that need the module: it has no entry, or its tuples are nested too deeply");
    }
  }
  const bool with_module = facts != nullptr;
  if (!with_module) facts = check::FactsOfText(assignment);
  check::DescribeCoverage(assignment, *facts, with_module, report.coverage());
  check::CheckPlacementRules(assignment, *facts, options.rules, report);
  check::Overlaps(assignment, *facts, options.rules, report).Check();
  return std::move(report).Take();
}

}  // namespace halo

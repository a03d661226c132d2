// Values of a key are paired in three rounds: at the same position with the same size, with the
// same size, and the rest.
#include "halo/view/compare/value_match.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "halo/base/capped.h"
#include "halo/diff/peak/stored_values.h"

namespace halo::view {
namespace {

class StoredMatcher {
 public:
  StoredMatcher(const MatchedPrograms& programs, const ShownAssignment& before,
                const ShownAssignment& after)
      : before_(before.assignment()),
        after_(after.assignment()),
        stored_before_(programs, ProgramSide::kBefore, before.bound),
        stored_after_(programs, ProgramSide::kAfter, after.bound) {
    Begin(before_, match_.before);
    Begin(after_, match_.after);
  }

  ValueMatch Match() {
    for (const int round : {0, 1, 2}) PairRound(round);
    Count(before_, match_.before);
    Count(after_, match_.after);
    return std::move(match_);
  }

 private:
  static bool HasMemory(const Assignment& assignment, const AssignedValue& value) {
    return value.allocation.valid() && value.size > 0 &&
           !assignment.allocation(value.allocation).is_thread_local;
  }

  static void Begin(const Assignment& assignment, ValueSide& side) {
    side.partners.assign(assignment.values.size(), ValueId());
    side.states.assign(assignment.values.size(), ValueState::kNone);
    for (size_t i = 0; i < assignment.values.size(); ++i) {
      if (HasMemory(assignment, assignment.values[i])) side.states[i] = ValueState::kOnly;
    }
  }

  // Where a value is, so that it is the same in plans whose other allocations differ.
  struct Position {
    int32_t color = 0, parameter = -1;
    bool is_heap = false, is_output = false;
    int64_t offset = 0;
    auto operator<=>(const Position&) const = default;
  };
  static Position PositionOf(const Assignment& assignment, const AssignedValue& value) {
    const Allocation& in = assignment.allocation(value.allocation);
    return {in.color, in.parameter, in.is_preallocated_temp, in.maybe_live_out, value.offset};
  }

  using Key = std::tuple<StoredKey, int64_t, Position>;
  static Key KeyOf(const StoredValues& stored, const Assignment& assignment, size_t i, int round) {
    const AssignedValue& value = assignment.values[i];
    return {stored.key(ValueId(i)), round < 2 ? value.size : 0,
            round < 1 ? PositionOf(assignment, value) : Position()};
  }

  void PairRound(int round) {
    std::map<Key, std::vector<ValueId>> waiting;
    for (size_t i = after_.values.size(); i-- > 0;) {
      if (match_.after.states[i] == ValueState::kOnly) {
        waiting[KeyOf(stored_after_, after_, i, round)].push_back(ValueId(i));
      }
    }
    for (size_t i = 0; i < before_.values.size(); ++i) {
      if (match_.before.states[i] != ValueState::kOnly) continue;
      const auto found = waiting.find(KeyOf(stored_before_, before_, i, round));
      if (found == waiting.end() || found->second.empty()) continue;
      const ValueId other = found->second.back();
      found->second.pop_back();
      constexpr std::array kStates = {ValueState::kSame, ValueState::kMoved, ValueState::kResized};
      match_.before.states[i] = match_.after.states[other.index()] =
          kStates[static_cast<size_t>(round)];
      match_.before.partners[i] = other;
      match_.after.partners[other.index()] = ValueId(i);
    }
  }

  static void Count(const Assignment& assignment, ValueSide& side) {
    for (size_t i = 0; i < side.states.size(); ++i) {
      const auto state = static_cast<size_t>(side.states[i]);
      ++side.count[state];
      side.bytes[state] = AddCapped(side.bytes[state], assignment.values[i].size);
    }
  }

  const Assignment& before_;
  const Assignment& after_;
  StoredValues stored_before_, stored_after_;
  ValueMatch match_;
};

}  // namespace

std::string_view TextOf(ValueState state) {
  static constexpr std::array<std::string_view, kValueStates> kTexts = {"none", "same", "moved",
                                                                        "resized", "only"};
  return kTexts[static_cast<size_t>(state)];
}

ValueMatch MatchStored(const MatchedPrograms& programs, const ShownAssignment& before,
                       const ShownAssignment& after) {
  return StoredMatcher(programs, before, after).Match();
}

}  // namespace halo::view

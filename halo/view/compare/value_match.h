// Which values of two memory plans correspond: those that hold the same value of the program. Of
// several, the most alike are paired.
#ifndef HALO_VIEW_COMPARE_VALUE_MATCH_H_
#define HALO_VIEW_COMPARE_VALUE_MATCH_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/diff/match/matched_programs.h"
#include "halo/view/model/shown_assignment.h"

namespace halo::view {

enum class ValueState : uint8_t {
  kNone,     // has no separate memory
  kSame,     // as many bytes at the same position
  kMoved,    // as many bytes at another position or in another kind of memory
  kResized,  // another number of bytes
  kOnly,     // the other plan does not have it
};
inline constexpr size_t kValueStates = 5;
std::string_view TextOf(ValueState state);

struct ValueSide {
  std::vector<ValueState> states;  // by value of the assignment
  std::vector<ValueId> partners;   // by value; invalid if there is none
  // By state.
  std::array<int64_t, kValueStates> count = {}, bytes = {};
};

struct ValueMatch {
  ValueSide before, after;
};

// Both plans must be of the matched programs.
ValueMatch MatchStored(const MatchedPrograms& programs, const ShownAssignment& before,
                       const ShownAssignment& after);

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_VALUE_MATCH_H_

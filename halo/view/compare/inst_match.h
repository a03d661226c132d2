// Which instructions of two programs correspond, and what happened to each. Values are matched by
// halo/diff; this extends the match to everything that has a line of text: instructions that call
// others, and those that only pass values on.
#ifndef HALO_VIEW_COMPARE_INST_MATCH_H_
#define HALO_VIEW_COMPARE_INST_MATCH_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "halo/diff/explain/program_diff.h"
#include "halo/diff/match/matched_programs.h"
#include "halo/diff/peak/stored_values.h"
#include "halo/ir/module.h"

namespace halo::view {

// The more an instruction differs, the later its state.
enum class InstState : uint8_t {
  kAside,    // only passes values on, and the other program has no such instruction
  kSame,     // computed in the same way from the same values
  kPlaced,   // the same value, but in another kernel, layout, copy or configuration
  kInside,   // only what it calls differs
  kRewired,  // the same op with other operands
  kChanged,  // another op, type, dimensions or attributes
  kOnly,     // the other program does not have it
};
inline constexpr size_t kInstStates = 7;
std::string_view TextOf(InstState state);

// One program's side of the match.
struct InstSide {
  std::vector<InstState> states;  // by instruction
  std::vector<InstId> partners;   // by instruction; invalid if there is none
  std::vector<CompId> comps;      // by computation: the corresponding one
};

struct InstMatch {
  InstSide before, after;
  [[nodiscard]] const InstSide& of(ProgramSide side) const {
    return side == ProgramSide::kBefore ? before : after;
  }
};

InstMatch MatchInsts(const MatchedPrograms& programs, const ProgramDiff& diff);

// The instructions that a cause names, in each program; each once, in the order of the cause.
using CauseInsts = std::array<std::vector<InstId>, 2>;
std::vector<CauseInsts> InstsOfCauses(const MatchedPrograms& programs, const ProgramDiff& diff);

}  // namespace halo::view

#endif  // HALO_VIEW_COMPARE_INST_MATCH_H_

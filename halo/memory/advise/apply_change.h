// Applies a change to a module and the options of its plan, and finds out whether the changed
// program still computes the same. Which changes exist is in advice_candidates.h.
#ifndef HALO_MEMORY_ADVISE_APPLY_CHANGE_H_
#define HALO_MEMORY_ADVISE_APPLY_CHANGE_H_

#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "halo/memory/advise/advice_candidates.h"

namespace halo {

struct ChangedProgram {
  std::optional<Module> module;  // none if the order of instructions stays as it is
  AssignOptions assign;
  std::vector<InstId> origin;  // with a module: the ids that its instructions had before
};

// None if an instruction would run before something it needs.
std::optional<ChangedProgram> ApplyChange(const Module& module, const AdviceCandidate& candidate,
                                          const AssignOptions& assign);

using LateUse = std::tuple<InstId, uint32_t, InstId>;  // a value's definition, its user

// Uses that come after the end of the value's live range. Some are due to how XLA counts. A use
// that a changed order adds means that another value of the buffer has been written by then.
// `origin` gives the ids that instructions had before the change; empty if nothing changed.
std::set<LateUse> LateUses(const BoundAssignment& bound, const std::vector<InstId>& origin);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_APPLY_CHANGE_H_

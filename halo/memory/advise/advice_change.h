// What following a piece of advice changes in a program, and the program after it. advise.h
// measures what the change saves.
#ifndef HALO_MEMORY_ADVISE_ADVICE_CHANGE_H_
#define HALO_MEMORY_ADVISE_ADVICE_CHANGE_H_

#include <optional>
#include <vector>

#include "halo/ir/module.h"
#include "halo/ir/reorder.h"
#include "halo/memory/assign/assign.h"

namespace halo {

struct AdviceChange {
  std::vector<AliasEntry> donations;
  std::vector<ResizedValue> resized;
  std::vector<InstPosition> moves;
  std::vector<InstPosition> repeats;
};

struct ChangedProgram {
  std::optional<Module> module;  // none if only the options change
  std::vector<InstId> origin;    // ids before the change, invalid for new instructions; or empty
  AssignOptions assign;          // names instructions by their new ids
};

// Returns nullopt if an instruction would run before something it needs.
std::optional<ChangedProgram> ApplyChange(const Module& module, const AdviceChange& change,
                                          const AssignOptions& assign);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVICE_CHANGE_H_

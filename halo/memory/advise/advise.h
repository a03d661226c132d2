// Changes to the program that save memory. Each is tried by planning the changed program again with
// the same rules. The saving is the difference between the two plans, never a guess.
#ifndef HALO_MEMORY_ADVISE_ADVISE_H_
#define HALO_MEMORY_ADVISE_ADVISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/advise/program_change.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/explain/explain.h"

namespace halo {

enum class AdviceKind : uint8_t { kDonate, kMove, kRecompute, kNarrow, kUnpad };
std::string_view AdviceKindText(AdviceKind kind);
std::vector<std::string_view> AdviceKindTexts();

struct Advice {
  AdviceKind kind = AdviceKind::kDonate;
  int64_t bytes_saved = 0;
  std::string brief;          // what to do, in a few words
  std::string what;           // in one line: what to do, and to what
  std::string how;            // the call of the frontend that does it; may be empty
  std::string cost;           // what it costs; empty if nothing
  std::string scope, source;  // of what it changes, as far as known
  ProgramChange change;       // repeats it
  std::vector<std::string> instructions;
  std::vector<int64_t> parameters;
};

struct AdviseOptions {
  AssignOptions assign;
  std::optional<Backend> backend;  // decides which memory counts
  // The number of plans that may be tried.
  int64_t plans = 8;
};

// The number of plans that a quick run can afford: fewer for large modules.
int64_t QuickPlans(const Module& module);

// `planned` is a module's plan under the same options; `peak` explains it at its peak. Returns only
// changes that save memory, the largest saving first.
std::vector<Advice> Advise(const BoundAssignment& planned, const MemoryExplanation& peak,
                           const AdviseOptions& options);

// A program planned again with changes that the user names.
struct ChangedPlan {
  std::optional<Module> module;  // none if the order of instructions stays as it is
  PlannedMemory plan;
  AssignOptions assign;
};
// The arguments are as for Advise. Donations are part of options.assign, not of `change`.
Result<ChangedPlan> PlanChange(const BoundAssignment& planned, const MemoryExplanation& peak,
                               const AdviseOptions& options, const ProgramChange& change);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVISE_H_

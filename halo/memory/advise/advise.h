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
#include "halo/memory/advise/advice_change.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/explain/explain.h"

namespace halo {

enum class AdviceKind : uint8_t { kDonate, kMove, kRecompute, kNarrow, kUnpad };
std::string_view AdviceKindText(AdviceKind kind);

struct Advice {
  AdviceKind kind = AdviceKind::kDonate;
  int64_t bytes_saved = 0;
  std::string what;  // one line: what to do, and to what
  std::string cost;  // what it costs; empty if nothing
  std::vector<std::string> instructions;
  std::vector<int64_t> parameters;
  AdviceChange change;
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

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVISE_H_

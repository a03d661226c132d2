// What would help: changes to the program that save memory, each tried by planning the changed
// program again with the same rules. The saving is what the two plans differ by, never a guess.
#ifndef HALO_MEMORY_ADVISE_ADVISE_H_
#define HALO_MEMORY_ADVISE_ADVISE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/explain/explain.h"

namespace halo {

enum class AdviceKind : uint8_t { kDonate, kMove, kRecompute, kNarrow, kUnpad };
std::string_view AdviceKindText(AdviceKind kind);

struct Advice {
  AdviceKind kind = AdviceKind::kDonate;
  int64_t bytes_saved = 0;
  std::string what;  // one line: what to do, to what
  std::string cost;  // what it costs; empty if nothing
  std::vector<std::string> instructions;
  std::vector<int64_t> parameters;
};

struct AdviseOptions {
  AssignOptions assign;
  std::optional<Backend> backend;  // decides which memory counts
  // How many plans may be tried.
  int64_t plans = 8;
};

// How many plans a quick answer can afford: fewer for large modules.
int64_t QuickPlans(const Module& module);

// `planned` is a module's plan under the same options; `peak` explains it at its peak.
// Only what saves is returned, the most first.
std::vector<Advice> Advise(const BoundAssignment& planned, const MemoryExplanation& peak,
                           const AdviseOptions& options);

}  // namespace halo

#endif  // HALO_MEMORY_ADVISE_ADVISE_H_

// The result of `halo memory`: a plan, either from a dump or computed here, explained, with advice
// and the effect of assumptions. The command prints it; memory_document.h makes
// what other front ends show.
#ifndef HALO_API_MEMORY_MEMORY_H_
#define HALO_API_MEMORY_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/memory/memory_inputs.h"
#include "halo/api/memory/verdict.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/advise/frontend.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/check/violation.h"
#include "halo/memory/explain/explain.h"
#include "halo/memory/repack/heap_of_assignment.h"
#include "halo/memory/repack/into_outputs.h"

namespace halo {

enum class AdviceDepth : uint8_t { kNone, kQuick, kThorough };

struct MemoryRequest {
  std::vector<std::string> files;
  OpenOptions open;
  bool plan = false;  // plan even if the dump contains an assignment
  std::optional<Backend> backend;
  std::optional<int64_t> alignment;
  std::string device;  // a name that FindMemoryDevice knows, or empty
  std::optional<int64_t> capacity;
  ProgramChange change;     // assumed to be made
  bool drop_alias = false;  // assume that nothing is donated
  ExplainOptions explain;
  AdviceDepth advice = AdviceDepth::kQuick;
  bool check = false;          // check that the assignment is sound
  bool repack = false;         // pack its heaps as tightly as possible
  double repack_seconds = 10;  // per heap
  bool role_profile = false;
};

struct MemoryResult {
  MemoryInputs inputs;
  Diagnostics diagnostics;  // why there is no result
  bool succeeded = false;

  std::string program;
  std::optional<Backend> backend;
  std::string backend_why;
  BackendRules rules;
  bool is_planned = false;               // planned by halo; false: from the dump
  bool is_scheduled = true;              // scheduled by XLA; false: by halo, before planning
  bool ranges_from_plan = false;         // the dump has no live ranges; halo's are shown
  bool belongs = true;                   // the assignment's instructions belong to the module
  std::vector<std::string> assumptions;  // "parameter 3 donated to output {1}"
  std::optional<int64_t> bytes_before;   // in main memory, without the assumptions
  std::optional<int64_t> capacity;
  std::optional<AssignmentFindings> findings;
  std::optional<IntoOutputs> into_outputs;  // if heaps were repacked
  std::vector<RepackedHeap> repacked;

  Assignment assignment;
  // In the module of the inputs; none without one, or if changes of the request reordered it.
  std::optional<AssignmentIds> ids;
  MemoryExplanation explanation;
  Frontend frontend = Frontend::kUnknown;  // whose calls the advice names
  std::vector<Advice> advice;
  bool advice_was_short = false;  // more plans could have been tried
  std::vector<std::vector<int64_t>> role_profile;
  MemoryVerdict verdict;

  [[nodiscard]] bool fits() const { return !capacity || explanation.device_bytes <= *capacity; }
};

MemoryResult AnalyzeMemory(const MemoryRequest& request);
// The same for inputs that are already open; the files named in the request are ignored.
MemoryResult AnalyzeMemory(const MemoryRequest& request, MemoryInputs inputs);

// Columns: time, instruction, total bytes, bytes of each role.
std::string MemoryCsv(const MemoryResult& result);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_H_

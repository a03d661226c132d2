// The answer of `halo memory`: a plan that a dump holds or that we make, explained, with what would
// help and what would be if. A plain value that the command prints and memory_json.cc serialises.
#ifndef HALO_API_MEMORY_MEMORY_H_
#define HALO_API_MEMORY_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/memory/memory_inputs.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/check/violation.h"
#include "halo/memory/explain/explain.h"
#include "halo/memory/repack/heap_of_assignment.h"
#include "halo/memory/repack/into_outputs.h"

namespace halo {

enum class AdviceDepth : uint8_t { kNone, kQuick, kThorough };

struct MemoryQuestion {
  std::vector<std::string> files;
  OpenOptions open;
  bool plan = false;  // anew, even if the dump holds an assignment
  std::optional<Backend> backend;
  std::optional<int64_t> alignment;
  std::string device;  // a name of devices.def, or none
  std::optional<int64_t> capacity;
  std::vector<int64_t> donate;  // parameters, supposed to be donated
  bool drop_alias = false;      // nothing is supposed to be donated
  ExplainOptions explain;
  AdviceDepth advice = AdviceDepth::kQuick;
  bool check = false;          // that the assignment is sound
  bool repack = false;         // its heaps, as small as can be found
  double repack_seconds = 10;  // for each heap
  bool role_profile = false;
};

struct MemoryAnswer {
  MemoryInputs inputs;
  Diagnostics diagnostics;  // why there is no answer
  bool has_answer = false;

  std::string program;
  std::optional<Backend> backend;
  std::string backend_why;
  BackendRules rules;
  bool is_planned = false;                // by us; else it is the dump's own
  bool is_scheduled = true;               // by XLA; else by us, before planning
  bool ranges_from_plan = false;          // the dump has no live ranges; ours are shown
  bool belongs = true;                    // the assignment's instructions are the module's
  std::vector<std::string> suppositions;  // "parameter 3 donated to output {1}"
  std::optional<int64_t> bytes_before;    // in main memory, without them
  std::optional<int64_t> capacity;
  std::optional<AssignmentFindings> findings;
  std::optional<IntoOutputs> into_outputs;  // when heaps were packed again
  std::vector<RepackedHeap> repacked;

  Assignment assignment;
  // In the module of the inputs; none without one, or if the module was scheduled by us.
  std::optional<AssignmentIds> ids;
  MemoryExplanation explanation;
  std::vector<Advice> advice;
  bool advice_was_short = false;  // more plans could be tried
  std::vector<std::vector<int64_t>> role_profile;

  [[nodiscard]] bool fits() const { return !capacity || explanation.device_bytes <= *capacity; }
};

MemoryAnswer AnswerMemory(const MemoryQuestion& question);
// The same about inputs that are open already, whatever files the question names.
MemoryAnswer AnswerMemory(const MemoryQuestion& question, MemoryInputs inputs);

std::string MemoryJson(const MemoryAnswer& answer, size_t top);
// time, instruction, bytes in all, bytes of each role.
std::string MemoryCsv(const MemoryAnswer& answer);

}  // namespace halo

#endif  // HALO_API_MEMORY_MEMORY_H_

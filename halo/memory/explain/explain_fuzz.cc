// Explains whatever can be read: the input up to the first zero byte is a module's text, the rest
// is pieces of an assignment. The module is scheduled, planned and advised on; the assignment is
// explained with and without the module. Requires that live bytes never add up to more than what
// exists.
#include <cstdlib>
#include <string_view>

#include "halo/ir/reorder.h"
#include "halo/memory/advise/advise.h"
#include "halo/memory/assign/schedule.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/text/read_assignment.h"
#include "halo/text/read/read_text.h"

namespace {

using namespace halo;

void Explain(const BoundAssignment& bound, bool is_ours) {
  const Origins origins(bound);
  for (const auto backend : {Backend::kCpu, Backend::kTpu}) {
    const Result<MemoryExplanation> all = ExplainMemory(bound, origins, backend, {});
    if (!all.ok()) continue;
    if (is_ours && all->peak_bytes > all->device_bytes) std::abort();
    (void)MergeAlike(all->entries);
    (void)RoleProfile(bound, origins, backend);
  }
}

void Plan(const Module& module) {
  AdviseOptions options;
  options.plans = 4;
  options.assign.rules = RulesOf(DetectBackend(module, "").backend.value_or(Backend::kCpu));
  options.backend = options.assign.rules.backend;
  const Result<PlannedMemory> planned = PlanMemory(module, options.assign);
  if (!planned.ok()) return;
  const BoundAssignment bound(planned->assignment, &module, planned->ids);
  Explain(bound, true);
  const Origins origins(bound);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, origins, options.backend, {});
  if (peak.ok()) (void)Advise(bound, *peak, options);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const size_t end = bytes.find('\0');
  const TextReadResult read = ReadHloText(SourceBuffer::Copy(bytes.substr(0, end), "input"), {});
  const bool has_module = read.diagnostics.ok() && read.module.entry.valid();
  if (has_module) {
    if (!read.module.is_scheduled()) {
      Module scheduled = read.module;
      ReorderInstructions(scheduled, SchedulesForMemory(read.module, RulesOf(Backend::kCpu))[0]);
      Plan(scheduled);
    } else {
      Plan(read.module);
    }
  }
  if (end == std::string_view::npos) return 0;
  const AssignmentReadResult assignment = ReadAssignment(bytes.substr(end + 1));
  Explain(BoundAssignment(assignment.assignment, nullptr), false);
  if (has_module) Explain(BoundAssignment(assignment.assignment, &read.module), false);
  return 0;
}

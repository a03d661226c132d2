// Runs the passes, picks a schedule, inserts copies and assigns buffers. For small programs, plans
// several candidate schedules completely and keeps the one that needs the least memory; for large
// programs, uses only the most promising one.
#include "halo/codegen/prepare.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/codegen/split_kernels.h"
#include "halo/ir/reorder.h"
#include "halo/memory/assign/assign.h"
#include "halo/memory/assign/schedule.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/passes/memory/insert_copies.h"
#include "halo/passes/memory/start_collectives.h"
#include "halo/passes/pipeline.h"

namespace halo {
namespace {

constexpr size_t kManyInstructions = 4000;
constexpr size_t kLargeLiterals = size_t{16} << 20;

void MarkScheduled(Module& module) {
  if (module.is_scheduled()) return;
  std::vector<Attr> attrs = {Attr{AttrKey::k_is_scheduled, AttrForm::kPlain, 0, 1}};
  for (const Attr& attr : module.attrs_of(module.attrs)) {
    if (attr.key != AttrKey::k_is_scheduled) attrs.push_back(attr);
  }
  module.attrs = module.Attrs(attrs);
}

#ifdef NDEBUG
constexpr bool kChecked = false;
#else
constexpr bool kChecked = true;
#endif

std::optional<Diagnostic> Unsound(const Module& module, const Assignment& assignment) {
  AssignmentCheckOptions options;
  options.rules = CheckRules::kCpu;
  const AssignmentFindings findings = CheckAssignment(assignment, &module, options);
  if (findings.ok()) return std::nullopt;
  return MakeBinaryDiagnostic(diag::kCannotPlan, 0,
                              "the memory plan is not sound: " + findings.findings[0].explanation);
}

// Plans the module with its current instruction order.
Result<PreparedModule> Plan(Module module, const AssignOptions& options, PassLog& log) {
  Result<Module> copied = InsertCopies(std::move(module), log);
  if (!copied) return copied.error();
  MarkScheduled(*copied);
  Result<Assignment> assignment = AssignBuffers(*copied, options);
  if (!assignment) return assignment.error();
  if (kChecked) {
    if (std::optional<Diagnostic> unsound = Unsound(*copied, *assignment)) return *unsound;
  }
  return PreparedModule{std::move(*copied), std::move(*assignment), {}};
}

void AddNotes(const PassLog& log, std::vector<std::string>& out) {
  for (const PassNote& note : log.notes()) {
    out.push_back(std::string(note.pass) + ": " + note.text);
  }
}

// Overlapping collectives with computation may use this much more memory than the plain schedule: a
// quarter more plus 1 MiB.
constexpr double kOverlapMemory = 1.25;
constexpr double kOverlapBytes = 1 << 20;
// How many times planning is retried with the collectives that cannot overlap excluded.
constexpr int kOverlapRounds = 4;

bool HasCollectives(const Module& module) {
  return std::ranges::any_of(module.insts,
                             [](const Inst& inst) { return IsCollectiveOp(inst.opcode); });
}

// The same order, with collectives running in the background. Returns nullopt if that takes too
// much memory.
Result<std::optional<PreparedModule>> PlanOverlap(const Module& ordered, int64_t plain_bytes,
                                                  const AssignOptions& options, PassLog& log) {
  std::set<std::string> except;
  Result<PreparedModule> planned = PreparedModule{};
  for (int round = 0;; ++round) {
    Result<Module> started = StartCollectives(ordered, log, except);
    if (!started) return started.error();
    planned = Plan(std::move(*started), options, log);
    if (!planned) return planned.error();
    const std::set<std::string> torn = TornCollectives(planned->module);
    if (torn.empty()) break;
    if (round == kOverlapRounds) return std::optional<PreparedModule>();
    except.insert(torn.begin(), torn.end());
  }
  if (static_cast<double>(planned->assignment.total_bytes) >
      kOverlapMemory * static_cast<double>(plain_bytes) + kOverlapBytes) {
    return std::optional<PreparedModule>();
  }
  return std::optional(std::move(*planned));
}

}  // namespace

Result<PreparedModule> PrepareModule(Module module, const PrepareOptions& options) {
  AssignOptions assign;
  assign.rules = RulesOf(Backend::kCpu);
  assign.with_uses = options.with_uses;
  assign.protects_every_read = true;
  PassLog log(options.wants_log);
  PassOptions passes;
  passes.disabled = options.without;
  passes.is_single_device = options.is_single_device;
  passes.log = &log;
  Result<Module> rewritten = PrepareForHost(std::move(module), passes);
  if (!rewritten) return rewritten.error();
  if (!options.refused.empty()) {
    log.Begin("split");
    SplitKernels(*rewritten, options.refused, options.max_kernel_values, log);
  }

  std::vector<std::vector<InstId>> orders = SchedulesForMemory(*rewritten, assign.rules);
  const bool tries_one =
      rewritten->insts.size() > kManyInstructions || rewritten->literals.bytes() > kLargeLiterals;
  if (tries_one) orders.resize(1);
  const bool overlaps = options.has_devices && HasCollectives(*rewritten);
  std::optional<PreparedModule> best;
  size_t best_order = 0;
  std::vector<std::string> notes;
  for (size_t i = 0; i < orders.size(); ++i) {
    Module ordered = tries_one && !overlaps ? std::move(*rewritten) : *rewritten;
    ReorderInstructions(ordered, orders[i]);
    PassLog own(options.wants_log);
    Result<PreparedModule> planned = Plan(std::move(ordered), assign, own);
    if (!planned) return planned;
    if (best && planned->assignment.total_bytes >= best->assignment.total_bytes) continue;
    best = std::move(*planned);
    best_order = i;
    notes.clear();
    AddNotes(own, notes);
  }
  if (overlaps) {
    ReorderInstructions(*rewritten, orders[best_order]);
    PassLog own(options.wants_log);
    Result<std::optional<PreparedModule>> overlapped =
        PlanOverlap(*rewritten, best->assignment.total_bytes, assign, own);
    if (!overlapped) return overlapped.error();
    if (*overlapped) {
      best = std::move(**overlapped);
      notes.clear();
      AddNotes(own, notes);
    }
  }
  AddNotes(log, best->log);
  best->log.insert(best->log.end(), notes.begin(), notes.end());
  return std::move(*best);
}

}  // namespace halo

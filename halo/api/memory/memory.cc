// Goes from files to the result in steps: the rules, the facts, what the request asks to try, the
// explanation and the advice. A fact never depends on what is tried or advised afterwards.
#include "halo/api/memory/memory.h"

#include <algorithm>
#include <utility>

#include "halo/api/document/assignment_rules.h"
#include "halo/api/memory/complete_assignment.h"
#include "halo/ir/reorder.h"
#include "halo/memory/advise/donation.h"
#include "halo/memory/assign/schedule.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/memory/backend/device.h"
#include "halo/memory/check/check_assignment.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

struct Scheduled {
  Module module;
  std::vector<InstId> order;  // the id that each instruction had before
};

// Picks the schedule with the smallest plan.
Scheduled ScheduledForMemory(const Module& module, const BackendRules& rules) {
  AssignOptions options;
  options.rules = rules;
  options.with_uses = false;
  Scheduled best;
  std::optional<int64_t> best_bytes;
  for (std::vector<InstId>& order : SchedulesForMemory(module, rules)) {
    Module candidate = module;
    ReorderInstructions(candidate, order);
    const Result<Assignment> plan = AssignBuffers(candidate, options);
    const int64_t bytes = plan.ok() ? DeviceBytes(*plan, rules.backend) : INT64_MAX;
    if (best_bytes && bytes >= *best_bytes) continue;
    best = {std::move(candidate), std::move(order)};
    best_bytes = bytes;
  }
  return best;
}

// Ids of a scheduled module as those of the module before.
AssignmentIds BeforeScheduling(AssignmentIds ids, const std::vector<InstId>& order) {
  const auto rename = [&](InstId& id) {
    if (id.valid()) id = order[id.index()];
  };
  for (BoundValue& value : ids.values) rename(value.inst);
  for (InstId& user : ids.users) rename(user);
  for (InstId& step : ids.sequence) rename(step);
  return ids;
}

void SayChanges(const ProgramChange& change, std::vector<std::string>& assumptions) {
  const auto say = [&](const std::vector<std::string>& names, std::string_view what,
                       std::string_view all) {
    for (const std::string& name : names) {
      assumptions.push_back(name == kAllValues ? std::string(all) : name + " " + std::string(what));
    }
  };
  say(change.recompute, "is computed again for its uses after the peak",
      "what is cheap is computed again for its uses after the peak");
  say(change.earlier, "runs as soon as its operands exist",
      "what can runs as soon as its operands exist");
  say(change.later, "runs right before its first use", "what can runs right before its first use");
  say(change.bf16, "is kept in bf16", "the f32 activations of the peak are kept in bf16");
  say(change.unpad, "has no padding", "the values of the peak have no padding");
}

// The piece of a split assignment that contains the total may be missing.
void AddTotal(Assignment& assignment) {
  if (assignment.has_total) return;
  assignment.has_total = true;
  for (const Allocation& each : assignment.allocations) {
    if (__builtin_add_overflow(assignment.total_bytes, each.size, &assignment.total_bytes)) break;
  }
}

// One request. Each step uses what the earlier ones left in the result and in the members.
class MemoryAnalysis {
 public:
  MemoryAnalysis(const MemoryRequest& request, MemoryResult& result)
      : request_(request),
        result_(result),
        module_(result.inputs.module),
        has_dump_(result.inputs.assignment) {
    if (has_dump_) result.assignment = std::move(*result.inputs.assignment);
    result.inputs.assignment.reset();
  }

  void Run();

 private:
  [[nodiscard]] bool Changes() const {
    return request_.drop_alias || !request_.change.donate.empty() ||
           !request_.change.only_donates();
  }
  // Whether the facts are those of the assignment in the dump, not of a plan.
  [[nodiscard]] bool ExplainsDump() const {
    return has_dump_ && !request_.plan && !Changes() && !request_.alignment;
  }

  void DecideRules();
  void DecideBackend();
  void ReadModule();
  void BindDump();
  void CompleteDump();
  // These return false, with the reason among the diagnostics, if there can be no result.
  bool PlanProgram();
  bool AssumeAliases();
  bool TryChanges();
  bool Explain();

  void PlanWithoutAssumptions();
  void Repack();
  void Check();
  void AddAdvice();
  // Made when first needed, and used for everything that needs one. Null if the module cannot be
  // planned.
  const PlannedMemory* Plan();

  const MemoryRequest& request_;
  MemoryResult& result_;
  const Module* module_;  // the one to plan: that of the inputs, or one of the following
  bool has_dump_;         // the files contain an assignment
  Scheduled scheduled_;   // in an order that is chosen here
  Module changed_;        // with the changes of the request
  AssignOptions options_;
  AssignmentIds ids_;  // of the assignment that is explained
  bool tried_to_plan_ = false;
  std::optional<PlannedMemory> plan_;
};

void MemoryAnalysis::Run() {
  if (has_dump_) AddTotal(result_.assignment);
  DecideRules();
  const bool explains_dump = ExplainsDump();
  const bool assumes = request_.plan || Changes() || request_.alignment || request_.backend ||
                       !request_.device.empty();
  if (module_ == nullptr && !explains_dump && assumes) {
    result_.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "a new plan needs the module; an assignment alone can only be explained"));
    return;
  }
  ReadModule();
  if (has_dump_) BindDump();
  options_.rules = result_.rules;
  if (explains_dump) {
    CompleteDump();
  } else if (!PlanProgram()) {
    return;
  }
  if (request_.repack) Repack();
  // A repacked assignment is always checked.
  if (request_.check || request_.repack) Check();
  if (!Explain()) return;
  if (request_.advice != AdviceDepth::kNone) AddAdvice();
  result_.verdict = MakeVerdict(result_, request_.device);
  result_.succeeded = true;
}

void MemoryAnalysis::DecideBackend() {
  const MemoryDevice* device = FindMemoryDevice(request_.device);
  if (request_.backend || device != nullptr) {
    result_.backend = request_.backend ? *request_.backend : device->backend;
    result_.backend_why = request_.backend ? "as asked" : "device " + std::string(device->name);
    return;
  }
  BackendGuess guess;
  if (module_ != nullptr) {
    guess = DetectBackend(*module_, result_.inputs.module_path);
  } else if (has_dump_) {
    guess = DetectBackend(result_.assignment);
  }
  result_.backend = guess.backend;
  result_.backend_why = guess.why;
}

// A dump's assignment says more about the rules than the module does, a device more than both, and
// the request overrides all.
void MemoryAnalysis::DecideRules() {
  DecideBackend();
  const Backend backend = result_.backend.value_or(Backend::kCpu);
  BackendRules& rules = result_.rules;
  rules = module_ != nullptr ? DetectRules(*module_, backend) : RulesOf(backend);
  if (has_dump_) RefineRules(result_.assignment, rules);
  result_.capacity = request_.capacity;
  if (const MemoryDevice* device = FindMemoryDevice(request_.device)) {
    ApplyDevice(*device, rules);
    if (!result_.capacity) result_.capacity = device->capacity;
  }
  if (request_.alignment) rules.alignment = *request_.alignment;
}

void MemoryAnalysis::ReadModule() {
  if (module_ == nullptr) return;
  result_.program = module_->text(module_->name);
  result_.frontend = DetectFrontend(*module_);
  result_.is_scheduled = module_->is_scheduled() || has_dump_;
  if (result_.is_scheduled) return;
  scheduled_ = ScheduledForMemory(*module_, result_.rules);
  module_ = &scheduled_.module;
}

// Finds the names of the dump's assignment in the module, and what it shows of XLA's decisions.
void MemoryAnalysis::BindDump() {
  if (module_ == nullptr) return;
  ids_ = BindByName(result_.assignment, *module_);
  result_.belongs = Belongs(ids_);
  const BoundAssignment bound(result_.assignment, module_, ids_);
  options_.presets = PresetsOf(bound, result_.rules.backend);
  options_.numbered = NumberedComputations(bound);
  if (result_.belongs) RefineInPlace(bound, result_.rules);
}

void MemoryAnalysis::CompleteDump() {
  Assignment& dump = result_.assignment;
  if (module_ == nullptr || !result_.belongs) return;
  if (!LacksLiveRanges(dump) && !LacksUses(dump)) return;
  const PlannedMemory* plan = Plan();
  if (plan == nullptr) return;
  result_.ranges_from_plan = LacksLiveRanges(dump);
  CompleteAssignment(*plan, dump, ids_);
}

const PlannedMemory* MemoryAnalysis::Plan() {
  if (!tried_to_plan_) {
    tried_to_plan_ = true;
    Result<PlannedMemory> plan = PlanMemory(*module_, options_);
    if (plan.ok()) {
      plan_ = std::move(*plan);
    } else {
      result_.diagnostics.Add(plan.error());
    }
  }
  return plan_ ? &*plan_ : nullptr;
}

bool MemoryAnalysis::PlanProgram() {
  if (module_ == nullptr || !AssumeAliases()) return false;
  if (!result_.assumptions.empty()) PlanWithoutAssumptions();
  if (Plan() == nullptr || !TryChanges()) return false;
  result_.is_planned = true;
  result_.belongs = true;
  result_.assignment = plan_->assignment;
  ids_ = plan_->ids;
  return true;
}

void MemoryAnalysis::PlanWithoutAssumptions() {
  AssignOptions before = options_;
  before.aliases.reset();
  before.with_uses = false;
  const Result<Assignment> without = AssignBuffers(*module_, before);
  if (without.ok()) result_.bytes_before = DeviceBytes(*without, result_.backend);
}

// Does nothing if the request assumes nothing about aliasing.
bool MemoryAnalysis::AssumeAliases() {
  if (!request_.drop_alias && request_.change.donate.empty()) return true;
  std::vector<AliasEntry> aliases;
  if (request_.drop_alias) {
    result_.assumptions.emplace_back("nothing is donated");
  } else {
    aliases = AliasesOf(*module_);
  }
  for (const int64_t parameter : request_.change.donate) {
    bool found = false;
    for (const DonationChoice& choice : PossibleDonations(*module_, aliases)) {
      if (choice.alias.number != parameter) continue;
      found = true;
      aliases.push_back(choice.alias);
      result_.assumptions.push_back("parameter " + std::to_string(parameter) +
                                    " is donated to output " +
                                    IndexText(choice.alias.output_index));
    }
    if (found) continue;
    const bool already = std::any_of(aliases.begin(), aliases.end(), [&](const AliasEntry& each) {
      return each.number == parameter;
    });
    result_.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "parameter " + std::to_string(parameter) +
            (already ? " is donated already"
                     : " cannot be donated: no free output has its shape and layout")));
    return false;
  }
  options_.aliases = std::move(aliases);
  return true;
}

// Plans again with the changes that the request names. If the order of instructions changes, the
// changed module is the one that was planned.
bool MemoryAnalysis::TryChanges() {
  if (request_.change.only_donates()) return true;
  const BoundAssignment bound(plan_->assignment, module_, plan_->ids);
  const Origins origins(bound);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, origins, result_.backend, {});
  if (!peak.ok()) {
    result_.diagnostics.Add(peak.error());
    return false;
  }
  const AdviseOptions advise{.assign = options_, .backend = result_.backend};
  Result<ChangedPlan> changed = PlanChange(bound, *peak, advise, request_.change);
  if (!changed.ok()) {
    result_.diagnostics.Add(changed.error());
    return false;
  }
  if (!result_.bytes_before) {
    result_.bytes_before = DeviceBytes(plan_->assignment, result_.backend);
  }
  SayChanges(request_.change, result_.assumptions);
  plan_ = std::move(changed->plan);
  options_ = std::move(changed->assign);
  if (changed->module) {
    changed_ = std::move(*changed->module);
    module_ = &changed_;
  }
  return true;
}

void MemoryAnalysis::Repack() {
  result_.bytes_before = DeviceBytes(result_.assignment, result_.backend);
  result_.into_outputs = MoveIntoOutputs(result_.assignment);
  RepackResult packed =
      RepackAssignment(result_.assignment, {.seconds = request_.repack_seconds}, HeapOptions());
  result_.assignment = std::move(packed.assignment);
  result_.repacked = std::move(packed.heaps);
}

void MemoryAnalysis::Check() {
  AssignmentCheckOptions check;
  check.rules = CheckRulesOf(result_.backend);
  result_.findings =
      CheckAssignment(result_.assignment, result_.belongs ? module_ : nullptr, check);
}

bool MemoryAnalysis::Explain() {
  const Module* known = result_.belongs ? module_ : nullptr;
  if (known == nullptr) ids_ = {};
  if (known != nullptr && known == result_.inputs.module) result_.ids = ids_;
  if (known == &scheduled_.module) result_.ids = BeforeScheduling(ids_, scheduled_.order);
  const BoundAssignment bound(result_.assignment, known, std::move(ids_));
  const Origins origins(bound);
  Result<MemoryExplanation> explained =
      ExplainMemory(bound, origins, result_.backend, request_.explain);
  if (!explained.ok()) {
    result_.diagnostics.Add(explained.error());
    return false;
  }
  result_.explanation = std::move(*explained);
  if (request_.role_profile) {
    result_.role_profile = RoleProfile(bound, origins, result_.backend);
  }
  return true;
}

void MemoryAnalysis::AddAdvice() {
  const PlannedMemory* plan = module_ != nullptr && result_.belongs ? Plan() : nullptr;
  if (plan == nullptr) return;
  // A plan that supplied missing live ranges must be the one in the dump.
  if (result_.ranges_from_plan && plan->assignment.total_bytes != result_.assignment.total_bytes) {
    return;
  }
  const BoundAssignment bound(plan->assignment, module_, plan->ids);
  const Origins origins(bound);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, origins, result_.backend, {});
  if (!peak.ok()) return;
  constexpr int64_t kThoroughPlans = 400;
  const bool is_thorough = request_.advice == AdviceDepth::kThorough;
  const AdviseOptions advise{.assign = options_,
                             .backend = result_.backend,
                             .plans = is_thorough ? kThoroughPlans : QuickPlans(*module_)};
  result_.advice = Advise(bound, *peak, advise);
  result_.advice_was_short = !is_thorough;
}

}  // namespace

MemoryResult AnalyzeMemory(const MemoryRequest& request) {
  return AnalyzeMemory(request, OpenMemoryInputs(request.files, {.open = request.open}));
}

MemoryResult AnalyzeMemory(const MemoryRequest& request, MemoryInputs inputs) {
  MemoryResult result;
  result.inputs = std::move(inputs);
  if (result.inputs.ok()) MemoryAnalysis(request, result).Run();
  return result;
}

}  // namespace halo

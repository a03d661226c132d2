// Goes from files to the result: which plan is explained, under which rules, and with which
// assumptions.
#include "halo/api/memory/memory.h"

#include <algorithm>
#include <map>
#include <utility>

#include "halo/api/document/assignment_rules.h"
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

void DecideRules(const MemoryRequest& request, MemoryResult& result) {
  const Module* module = result.inputs.module;
  const MemoryDevice* device = FindMemoryDevice(request.device);
  if (request.backend || device != nullptr) {
    result.backend = request.backend ? *request.backend : device->backend;
    result.backend_why = request.backend ? "as asked" : "device " + std::string(device->name);
  } else if (module != nullptr) {
    const BackendGuess guess = DetectBackend(*module, result.inputs.module_path);
    result.backend = guess.backend;
    result.backend_why = guess.why;
  } else if (result.inputs.assignment) {
    const BackendGuess guess = DetectBackend(*result.inputs.assignment);
    result.backend = guess.backend;
    result.backend_why = guess.why;
  }
  const Backend backend = result.backend.value_or(Backend::kCpu);
  result.rules = module != nullptr ? DetectRules(*module, backend) : RulesOf(backend);
  if (device != nullptr) ApplyDevice(*device, result.rules);
  if (request.alignment) result.rules.alignment = *request.alignment;
  result.capacity = request.capacity;
  if (!result.capacity && device != nullptr) result.capacity = device->capacity;
}

// Applies the request's assumptions about aliasing; does nothing if there are none.
bool DecideAliases(const MemoryRequest& request, const Module& module, AssignOptions& options,
                   MemoryResult& result) {
  if (!request.drop_alias && request.change.donate.empty()) return true;
  std::vector<AliasEntry> aliases;
  if (request.drop_alias) {
    result.assumptions.emplace_back("nothing is donated");
  } else {
    aliases = AliasesOf(module);
  }
  for (const int64_t parameter : request.change.donate) {
    bool found = false;
    for (const DonationChoice& choice : PossibleDonations(module, aliases)) {
      if (choice.alias.number != parameter) continue;
      found = true;
      aliases.push_back(choice.alias);
      result.assumptions.push_back("parameter " + std::to_string(parameter) +
                                   " is donated to output " + IndexText(choice.alias.output_index));
    }
    if (found) continue;
    const bool already = std::any_of(aliases.begin(), aliases.end(), [&](const AliasEntry& each) {
      return each.number == parameter;
    });
    result.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "parameter " + std::to_string(parameter) +
            (already ? " is donated already"
                     : " cannot be donated: no free output has its shape and layout")));
    return false;
  }
  options.aliases = std::move(aliases);
  return true;
}

// Takes live ranges and uses that the dump's files lack from a plan of the same module.
void Complete(const PlannedMemory& plan, Assignment& given, AssignmentIds& ids,
              MemoryResult& result) {
  const bool needs_ranges = given.schedule_end < 0;
  const bool needs_uses = given.uses.empty();
  if (!needs_ranges && !needs_uses) return;
  const Assignment& planned = plan.assignment;
  std::map<std::pair<InstId, uint32_t>, size_t> rows;  // of the plan, by where they are defined
  for (size_t i = 0; i < planned.values.size(); ++i) {
    rows.emplace(std::pair(plan.ids.values[i].inst, plan.ids.values[i].node), i);
  }
  for (size_t i = 0; i < given.values.size(); ++i) {
    AssignedValue& value = given.values[i];
    if (!ids.values[i].shape.valid()) continue;
    const auto found = rows.find({ids.values[i].inst, ids.values[i].node});
    if (found == rows.end()) continue;
    const AssignedValue& known = planned.values[found->second];
    if (needs_ranges) value.live = known.live;
    if (!needs_uses) continue;
    value.first_use = static_cast<uint32_t>(given.uses.size());
    for (uint32_t row = known.first_use; row < known.first_use + known.use_count; ++row) {
      const ValueUse& use = planned.uses[row];
      given.uses.push_back({given.Text(planned.text(use.instruction)), use.operand,
                            given.Index(planned.index(use.index))});
      ids.users.push_back(plan.ids.users[row]);
    }
    value.use_count = static_cast<uint32_t>(given.uses.size()) - value.first_use;
  }
  if (!needs_ranges) return;
  result.ranges_from_plan = true;
  given.schedule_end = planned.schedule_end;
  given.sequence.clear();
  for (const TextId id : planned.sequence) given.sequence.push_back(given.Text(planned.text(id)));
  ids.sequence = plan.ids.sequence;
}

// Picks the schedule with the smallest plan.
Module ScheduledForMemory(const Module& module, const BackendRules& rules) {
  AssignOptions options;
  options.rules = rules;
  options.with_uses = false;
  Module best;
  std::optional<int64_t> best_bytes;
  for (const std::vector<InstId>& order : SchedulesForMemory(module, rules)) {
    Module candidate = module;
    ReorderInstructions(candidate, order);
    const Result<Assignment> plan = AssignBuffers(candidate, options);
    const int64_t bytes = plan.ok() ? DeviceBytes(*plan, rules.backend) : INT64_MAX;
    if (best_bytes && bytes >= *best_bytes) continue;
    best = std::move(candidate);
    best_bytes = bytes;
  }
  return best;
}

void AddAdvice(const MemoryRequest& request, const BoundAssignment& planned,
               const AssignOptions& options, MemoryResult& result) {
  if (request.advice == AdviceDepth::kNone) return;
  // A plan that only supplies missing live ranges must be the one in the dump.
  if (result.ranges_from_plan &&
      planned.assignment().total_bytes != result.assignment.total_bytes) {
    return;
  }
  const Module& module = *planned.module();
  const Origins origins(planned);
  const Result<MemoryExplanation> peak = ExplainMemory(planned, origins, result.backend, {});
  if (!peak.ok()) return;
  AdviseOptions advise{.assign = options, .backend = result.backend};
  constexpr int64_t kThoroughPlans = 400;
  advise.plans = request.advice == AdviceDepth::kThorough ? kThoroughPlans : QuickPlans(module);
  result.advice = Advise(planned, *peak, advise);
  result.advice_was_short = request.advice == AdviceDepth::kQuick;
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

// Plans again with the changes that the request names. If the order of instructions changes,
// `owned` becomes the changed module and `module` refers to it.
bool ApplyChanges(const MemoryRequest& request, Module& owned, const Module*& module,
                  AssignOptions& options, PlannedMemory& planned, MemoryResult& result) {
  if (request.change.only_donates()) return true;
  const BoundAssignment bound(planned.assignment, module, planned.ids);
  const Origins origins(bound);
  const Result<MemoryExplanation> peak = ExplainMemory(bound, origins, result.backend, {});
  if (!peak.ok()) {
    result.diagnostics.Add(peak.error());
    return false;
  }
  const AdviseOptions advise{.assign = options, .backend = result.backend};
  Result<ChangedPlan> changed = PlanChange(bound, *peak, advise, request.change);
  if (!changed.ok()) {
    result.diagnostics.Add(changed.error());
    return false;
  }
  if (!result.bytes_before) {
    result.bytes_before = DeviceBytes(planned.assignment, result.backend);
  }
  SayChanges(request.change, result.assumptions);
  planned = std::move(changed->plan);
  options = std::move(changed->assign);
  if (changed->module) {
    owned = std::move(*changed->module);
    module = &owned;
  }
  return true;
}

}  // namespace

MemoryResult AnalyzeMemory(const MemoryRequest& request) {
  return AnalyzeMemory(request, OpenMemoryInputs(request.files, {.open = request.open}));
}

MemoryResult AnalyzeMemory(const MemoryRequest& request, MemoryInputs inputs) {
  MemoryResult result;
  result.inputs = std::move(inputs);
  if (!result.inputs.ok()) return result;
  DecideRules(request, result);
  const Module* module = result.inputs.module;
  const bool changes =
      request.drop_alias || !request.change.donate.empty() || !request.change.only_donates();
  const bool assumes =
      request.plan || changes || request.alignment || request.backend || !request.device.empty();
  const bool needs_plan = !result.inputs.assignment || request.plan || changes || request.alignment;
  if (module == nullptr && assumes && needs_plan) {
    result.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "a new plan needs the module; an assignment alone can only be explained"));
    return result;
  }
  AssignOptions options;
  options.rules = result.rules;
  std::optional<Assignment> given = std::move(result.inputs.assignment);
  // The piece of a split assignment that contains the total may be missing.
  if (given && !given->has_total) {
    given->has_total = true;
    for (const Allocation& each : given->allocations) {
      if (__builtin_add_overflow(given->total_bytes, each.size, &given->total_bytes)) break;
    }
  }
  // A dump's own assignment says more about the rules than the module does, but the request
  // overrides both.
  if (given && request.device.empty()) {
    RefineRules(*given, result.rules);
    if (request.alignment) result.rules.alignment = *request.alignment;
    options.rules = result.rules;
  }
  Module scheduled, changed;
  std::optional<PlannedMemory> planned;
  AssignmentIds ids;  // of the assignment that is explained
  if (module != nullptr) {
    result.program = module->text(module->name);
    result.frontend = DetectFrontend(*module);
    result.is_scheduled = module->is_scheduled() || given;
    if (!result.is_scheduled) {
      scheduled = ScheduledForMemory(*module, result.rules);
      module = &scheduled;
    }
    if (given) {
      ids = BindByName(*given, *module);
      result.belongs = Belongs(ids);
      const BoundAssignment bound(*given, module, ids);
      options.presets = PresetsOf(bound, result.rules.backend);
      options.numbered = NumberedComputations(bound);
      if (result.belongs && request.device.empty()) RefineInPlace(bound, result.rules);
      options.rules = result.rules;
    }
  }
  const bool wants_plan =
      needs_plan || (module != nullptr && result.belongs &&
                     (request.advice != AdviceDepth::kNone || given->schedule_end < 0));
  if (module != nullptr && wants_plan) {
    if (!DecideAliases(request, *module, options, result)) return result;
    if (!result.assumptions.empty()) {
      AssignOptions before = options;
      before.aliases.reset();
      before.with_uses = false;
      const Result<Assignment> without = AssignBuffers(*module, before);
      if (without.ok()) result.bytes_before = DeviceBytes(*without, result.backend);
    }
    Result<PlannedMemory> made = PlanMemory(*module, options);
    if (!made.ok()) {
      result.diagnostics.Add(made.error());
      if (needs_plan) return result;
    } else {
      planned = std::move(*made);
      if (!ApplyChanges(request, changed, module, options, *planned, result)) return result;
    }
  }
  if (needs_plan) {
    result.is_planned = true;
    result.assignment = planned->assignment;
    ids = planned->ids;
  } else {
    result.assignment = std::move(*given);
    if (planned && result.belongs) Complete(*planned, result.assignment, ids, result);
  }
  const Module* known = result.belongs ? module : nullptr;
  if (request.repack) {
    result.bytes_before = DeviceBytes(result.assignment, result.backend);
    result.into_outputs = MoveIntoOutputs(result.assignment);
    RepackResult packed =
        RepackAssignment(result.assignment, {.seconds = request.repack_seconds}, HeapOptions());
    result.assignment = std::move(packed.assignment);
    result.repacked = std::move(packed.heaps);
  }
  // A repacked assignment is always checked.
  if (request.check || request.repack) {
    AssignmentCheckOptions check;
    check.rules = CheckRulesOf(result.backend);
    result.findings = CheckAssignment(result.assignment, known, check);
  }
  if (known == nullptr) ids = {};
  if (known != nullptr && known == result.inputs.module) result.ids = ids;
  const BoundAssignment bound(result.assignment, known, std::move(ids));
  const Origins origins(bound);
  Result<MemoryExplanation> explained =
      ExplainMemory(bound, origins, result.backend, request.explain);
  if (!explained.ok()) {
    result.diagnostics.Add(explained.error());
    return result;
  }
  result.explanation = std::move(*explained);
  if (request.role_profile) {
    result.role_profile = RoleProfile(bound, origins, result.backend);
  }
  if (planned) {
    AddAdvice(request, BoundAssignment(planned->assignment, module, planned->ids), options, result);
  }
  result.verdict = MakeVerdict(result, request.device);
  result.succeeded = true;
  return result;
}

}  // namespace halo

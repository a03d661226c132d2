// Goes from files to the result: which plan is explained, under which rules, and with which
// assumptions.
#include "halo/api/memory/memory.h"

#include <algorithm>
#include <map>
#include <utility>

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

void DecideRules(const MemoryQuestion& question, MemoryAnswer& answer) {
  const Module* module = answer.inputs.module;
  const MemoryDevice* device = FindMemoryDevice(question.device);
  if (question.backend || device != nullptr) {
    answer.backend = question.backend ? *question.backend : device->backend;
    answer.backend_why = question.backend ? "as asked" : "device " + std::string(device->name);
  } else if (module != nullptr) {
    const BackendGuess guess = DetectBackend(*module, answer.inputs.module_path);
    answer.backend = guess.backend;
    answer.backend_why = guess.why;
  } else if (answer.inputs.assignment) {
    const BackendGuess guess = DetectBackend(*answer.inputs.assignment);
    answer.backend = guess.backend;
    answer.backend_why = guess.why;
  }
  const Backend backend = answer.backend.value_or(Backend::kCpu);
  answer.rules = module != nullptr ? DetectRules(*module, backend) : RulesOf(backend);
  if (device != nullptr) ApplyDevice(*device, answer.rules);
  if (question.alignment) answer.rules.alignment = *question.alignment;
  answer.capacity = question.capacity;
  if (!answer.capacity && device != nullptr) answer.capacity = device->capacity;
}

// Applies the request's assumptions about aliasing; does nothing if there are none.
bool DecideAliases(const MemoryQuestion& question, const Module& module, AssignOptions& options,
                   MemoryAnswer& answer) {
  if (!question.drop_alias && question.donate.empty()) return true;
  std::vector<AliasEntry> aliases;
  if (question.drop_alias) {
    answer.suppositions.emplace_back("nothing is donated");
  } else {
    aliases = AliasesOf(module);
  }
  for (const int64_t parameter : question.donate) {
    bool found = false;
    for (const DonationChoice& choice : PossibleDonations(module, aliases)) {
      if (choice.alias.number != parameter) continue;
      found = true;
      aliases.push_back(choice.alias);
      answer.suppositions.push_back("parameter " + std::to_string(parameter) +
                                    " is donated to output " +
                                    IndexText(choice.alias.output_index));
    }
    if (found) continue;
    const bool already = std::any_of(aliases.begin(), aliases.end(), [&](const AliasEntry& each) {
      return each.number == parameter;
    });
    answer.diagnostics.Add(MakeBinaryDiagnostic(
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
              MemoryAnswer& answer) {
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
  answer.ranges_from_plan = true;
  given.schedule_end = planned.schedule_end;
  given.sequence.clear();
  for (const TextId id : planned.sequence) given.sequence.push_back(given.Text(planned.text(id)));
  ids.sequence = plan.ids.sequence;
}

// An assignment of a different module explains nothing.
bool Belongs(const AssignmentIds& ids) {
  const auto known = std::count_if(ids.values.begin(), ids.values.end(),
                                   [](const BoundValue& value) { return value.inst.valid(); });
  return static_cast<size_t>(known) * 2 >= ids.values.size();
}

CheckRules CheckRulesOf(std::optional<Backend> backend) {
  if (!backend) return CheckRules::kAny;
  switch (*backend) {
    case Backend::kCpu: return CheckRules::kCpu;
    case Backend::kGpu: return CheckRules::kGpu;
    case Backend::kTpu: return CheckRules::kTpu;
  }
  return CheckRules::kAny;
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

void AddAdvice(const MemoryQuestion& question, const BoundAssignment& planned,
               const AssignOptions& options, MemoryAnswer& answer) {
  if (question.advice == AdviceDepth::kNone || answer.ranges_from_plan) return;
  const Module& module = *planned.module();
  const Origins origins(planned);
  const Result<MemoryExplanation> peak = ExplainMemory(planned, origins, answer.backend, {});
  if (!peak.ok()) return;
  AdviseOptions advise;
  advise.assign = options;
  advise.backend = answer.backend;
  constexpr int64_t kThoroughPlans = 400;
  advise.plans = question.advice == AdviceDepth::kThorough ? kThoroughPlans : QuickPlans(module);
  answer.advice = Advise(planned, *peak, advise);
  answer.advice_was_short = question.advice == AdviceDepth::kQuick;
}

}  // namespace

MemoryAnswer AnswerMemory(const MemoryQuestion& question) {
  return AnswerMemory(question, OpenMemoryInputs(question.files, {.open = question.open}));
}

MemoryAnswer AnswerMemory(const MemoryQuestion& question, MemoryInputs inputs) {
  MemoryAnswer answer;
  answer.inputs = std::move(inputs);
  if (!answer.inputs.ok()) return answer;
  DecideRules(question, answer);
  const Module* module = answer.inputs.module;
  const bool supposes = question.plan || question.drop_alias || !question.donate.empty() ||
                        question.alignment || question.backend || !question.device.empty();
  const bool needs_plan = !answer.inputs.assignment || question.plan || question.drop_alias ||
                          !question.donate.empty() || question.alignment;
  if (module == nullptr && supposes && needs_plan) {
    answer.diagnostics.Add(MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "a new plan needs the module; an assignment alone can only be explained"));
    return answer;
  }
  AssignOptions options;
  options.rules = answer.rules;
  std::optional<Assignment> given = std::move(answer.inputs.assignment);
  // The piece of a split assignment that contains the total may be missing.
  if (given && given->total_bytes == 0) {
    for (const Allocation& each : given->allocations) {
      if (__builtin_add_overflow(given->total_bytes, each.size, &given->total_bytes)) break;
    }
  }
  // A dump's own assignment says more about the rules than the module does, but the request
  // overrides both.
  if (given && question.device.empty()) {
    RefineRules(*given, answer.rules);
    if (question.alignment) answer.rules.alignment = *question.alignment;
    options.rules = answer.rules;
  }
  Module scheduled;
  std::optional<PlannedMemory> planned;
  AssignmentIds ids;  // of the assignment that is explained
  if (module != nullptr) {
    answer.program = module->text(module->name);
    answer.is_scheduled = module->is_scheduled() || given;
    if (!answer.is_scheduled) {
      scheduled = ScheduledForMemory(*module, answer.rules);
      module = &scheduled;
    }
    if (given) {
      ids = BindByName(*given, *module);
      answer.belongs = Belongs(ids);
      options.presets = PresetsOf(BoundAssignment(*given, module, ids), answer.rules.backend);
    }
  }
  const bool wants_plan =
      needs_plan || (module != nullptr && answer.belongs &&
                     (question.advice != AdviceDepth::kNone || given->schedule_end < 0));
  if (module != nullptr && wants_plan) {
    if (!DecideAliases(question, *module, options, answer)) return answer;
    if (!answer.suppositions.empty()) {
      AssignOptions before = options;
      before.aliases.reset();
      before.with_uses = false;
      const Result<Assignment> without = AssignBuffers(*module, before);
      if (without.ok()) answer.bytes_before = DeviceBytes(*without, answer.backend);
    }
    Result<PlannedMemory> made = PlanMemory(*module, options);
    if (!made.ok()) {
      answer.diagnostics.Add(made.error());
      if (needs_plan) return answer;
    } else {
      planned = std::move(*made);
    }
  }
  if (needs_plan) {
    answer.is_planned = true;
    answer.assignment = planned->assignment;
    ids = planned->ids;
  } else {
    answer.assignment = std::move(*given);
    if (planned && answer.belongs) Complete(*planned, answer.assignment, ids, answer);
  }
  const Module* known = answer.belongs ? module : nullptr;
  if (question.repack) {
    answer.bytes_before = DeviceBytes(answer.assignment, answer.backend);
    answer.into_outputs = MoveIntoOutputs(answer.assignment);
    RepackResult packed =
        RepackAssignment(answer.assignment, {.seconds = question.repack_seconds}, HeapOptions());
    answer.assignment = std::move(packed.assignment);
    answer.repacked = std::move(packed.heaps);
  }
  // A repacked assignment is always checked.
  if (question.check || question.repack) {
    AssignmentCheckOptions check;
    check.rules = CheckRulesOf(answer.backend);
    answer.findings = CheckAssignment(answer.assignment, known, check);
  }
  if (known == nullptr) ids = {};
  if (known != nullptr && known == answer.inputs.module) answer.ids = ids;
  const BoundAssignment bound(answer.assignment, known, std::move(ids));
  const Origins origins(bound);
  Result<MemoryExplanation> explained =
      ExplainMemory(bound, origins, answer.backend, question.explain);
  if (!explained.ok()) {
    answer.diagnostics.Add(explained.error());
    return answer;
  }
  answer.explanation = std::move(*explained);
  if (question.role_profile) {
    answer.role_profile = RoleProfile(bound, origins, answer.backend);
  }
  if (planned) {
    AddAdvice(question, BoundAssignment(planned->assignment, module, planned->ids), options,
              answer);
  }
  answer.has_answer = true;
  return answer;
}

}  // namespace halo

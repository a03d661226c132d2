// Runs the analyses and the assigner, and converts the outcome into the same model that the readers
// fill.
#include "halo/memory/assign/assign.h"

#include <algorithm>
#include <unordered_map>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/memory/assign/assigner.h"
#include "halo/memory/assign/module_problem.h"
#include "halo/memory/assign/printed_problem.h"
#include "halo/memory/backend/backend_description.h"

namespace halo {

namespace {

// Adds an allocation and records it in its values; `row` maps values to rows of `result`.
Allocation& AddAllocation(const PlannedAllocation& planned, const std::vector<ValueId>& row,
                          Assignment& result) {
  Allocation allocation;
  allocation.size = planned.size;
  allocation.color = static_cast<int32_t>(planned.color);
  allocation.is_constant = planned.is_constant;
  allocation.is_thread_local = planned.is_thread_local;
  allocation.maybe_live_out = planned.lives_out;
  allocation.is_preallocated_temp = planned.is_temp();
  allocation.first = static_cast<uint32_t>(result.placed.size());
  allocation.count = static_cast<uint32_t>(planned.values.size());
  const AllocationId number(result.allocations.size());
  for (const PlannedAllocation::Placed& placed : planned.values) {
    const ValueId id = row[placed.value.index()];
    AssignedValue& value = result.values[id.index()];
    value.allocation = number;
    value.offset = placed.offset;
    value.size = placed.size;
    result.placed.push_back(id);
  }
  std::sort(result.placed.begin() + allocation.first, result.placed.end());
  result.total_bytes += planned.size;
  return result.allocations.emplace_back(allocation);
}

// Converts allocations into the model that the readers also fill, with the ids that its names refer
// to.
PlannedMemory OutcomeOf(const Dataflow& flow, const LiveRanges& ranges,
                        const AssignProblem& problem,
                        const std::vector<PlannedAllocation>& allocations, bool with_uses) {
  const Module& module = flow.module();
  std::vector<bool> is_placed(flow.size(), false);
  for (const PlannedAllocation& planned : allocations) {
    for (const PlannedAllocation::Placed& placed : planned.values)
      is_placed[placed.value.index()] = true;
  }
  PlannedMemory outcome;
  Assignment& result = outcome.assignment;
  AssignmentIds& ids = outcome.ids;
  std::vector<int64_t> path;
  std::unordered_map<uint32_t, TextId> shape_texts;
  const auto shape_text = [&](ShapeId shape) {
    TextId& text = shape_texts[shape.value];
    if (!text.valid()) text = result.Text(module.shapes.Text(shape));
    return text;
  };
  const auto index_at = [&](InstId inst, uint32_t node) {
    flow.trees().Path(module.inst(inst).shape, node, path);
    return result.Index(path);
  };
  const auto name = [&](InstId inst) { return result.Text(module.name_of(module.inst(inst))); };

  std::vector<ValueId> row(flow.size());
  for (size_t i = 0; i < flow.size(); ++i) {
    const FlowId id(i);
    if (!flow.value(id).exists || !is_placed[i]) continue;
    row[i] = ValueId(result.values.size());
    const Position defined = flow.value(id).defined;
    AssignedValue value;
    value.id = static_cast<int64_t>(i);
    value.instruction = name(defined.inst);
    value.index = index_at(defined.inst, defined.node);
    value.shape = shape_text(flow.shape_of(id));
    value.color = static_cast<int32_t>(problem.value(id).color);
    value.is_phi = flow.value(id).is_phi;
    value.shows_index = module.shapes.is_tuple(module.inst(defined.inst).shape);
    const TimeSpan live = ranges.of(id);
    value.live = {live.start, live.end};
    if (with_uses) {
      value.first_position = static_cast<uint32_t>(result.positions.size());
      for (const Position& position : flow.positions(id)) {
        result.positions.push_back({name(position.inst), index_at(position.inst, position.node)});
      }
      value.position_count = static_cast<uint32_t>(result.positions.size()) - value.first_position;
      value.first_use = static_cast<uint32_t>(result.uses.size());
      flow.ForEachUse(id, [&](InstId user, int64_t operand, uint32_t node) {
        const InstId used = module.operands_of(module.inst(user))[static_cast<size_t>(operand)];
        result.uses.push_back({name(user), static_cast<int32_t>(operand), index_at(used, node)});
        ids.users.push_back(user);
      });
      value.use_count = static_cast<uint32_t>(result.uses.size()) - value.first_use;
    }
    result.values.push_back(value);
    ids.values.push_back({defined.inst, defined.node, flow.shape_of(id)});
  }

  const InstId root = module.comp(module.entry).root;
  const FlowId top = root.valid() ? flow.at(root) : FlowId();
  for (const PlannedAllocation& planned : allocations) {
    Allocation& allocation = AddAllocation(planned, row, result);
    if (planned.parameter.valid()) {
      const Position parameter = flow.value(planned.parameter).defined;
      const ShapeId shape = module.inst(parameter.inst).shape;
      allocation.parameter = static_cast<int32_t>(module.inst(parameter.inst).extra);
      allocation.parameter_index = index_at(parameter.inst, parameter.node);
      allocation.parameter_shape = result.Text(
          module.shapes.Text(flow.trees().shape_at(shape, parameter.node), /*with_layout=*/false));
    }
    const bool holds_top =
        top.valid() && std::any_of(planned.values.begin(), planned.values.end(),
                                   [&](const auto& placed) { return placed.value == top; });
    if (holds_top) {
      allocation.output_shape =
          result.Text(module.shapes.Text(module.inst(root).shape, /*with_layout=*/false));
    }
  }
  result.sequence.reserve(ranges.sequence().size());
  for (const InstId inst : ranges.sequence()) result.sequence.push_back(name(inst));
  ids.sequence = ranges.sequence();
  result.schedule_end = ranges.end();
  return outcome;
}

}  // namespace

std::vector<PresetColor> PresetsOf(const BoundAssignment& given, Backend backend) {
  const Assignment& assignment = given.assignment();
  std::vector<PresetColor> presets;
  for (const SpaceDescription& space : DescriptionOf(backend).spaces) {
    if (!space.is_preset) continue;
    PresetColor preset;
    preset.color = space.number;
    for (const Allocation& allocation : assignment.allocations) {
      if (allocation.color != space.number || !allocation.is_preallocated_temp) continue;
      preset.size = allocation.size;
      for (const ValueId id : assignment.values_of(allocation)) {
        const AssignedValue& value = assignment.value(id);
        const BoundValue bound = given.value(id);
        if (!bound.shape.valid()) continue;
        preset.values.push_back({bound.inst, bound.node, value.offset, value.size});
      }
    }
    if (!preset.values.empty()) presets.push_back(std::move(preset));
  }
  return presets;
}

void RefineInPlace(const BoundAssignment& given, BackendRules& rules) {
  if (given.module() == nullptr) return;
  const Module& module = *given.module();
  const Dataflow flow(module);
  if (!flow.problem().empty()) return;
  const std::vector<AssignedValue>& values = given.assignment().values;
  std::vector<const AssignedValue*> placed(flow.size(), nullptr);
  for (size_t i = 0; i < values.size(); ++i) {
    const BoundValue bound = given.value(ValueId(i));
    if (!bound.shape.valid() || !values[i].allocation.valid()) continue;
    const FlowId at = flow.at(bound.inst, bound.node);
    if (at.valid()) placed[at.index()] = &values[i];
  }
  SharingRules direct = rules.sharing;
  direct.follows_bitcasts = false;
  const InPlacePairs all(flow, rules.sharing), known(flow, direct);
  for (size_t i = 0; i < module.insts.size(); ++i) {
    const InstId inst(i);
    const std::span<const InstId> operands = module.operands_of(module.inst(inst));
    if (all.of(inst).size() == known.of(inst).size()) continue;
    for (const InPlacePair& pair : all.of(inst)) {
      const FlowId from = flow.at(operands[pair.operand], pair.operand_node);
      const FlowId to = flow.at(inst, pair.result_node);
      if (!from.valid() || !to.valid()) continue;
      const AssignedValue* source = placed[from.index()];
      const AssignedValue* result = placed[to.index()];
      if (source == nullptr || result == nullptr) continue;
      if (source->allocation == result->allocation && source->offset == result->offset) continue;
      rules.sharing.follows_bitcasts = false;
      return;
    }
  }
}

std::vector<CompId> NumberedComputations(const BoundAssignment& given) {
  std::vector<CompId> order;
  const Module* module = given.module();
  if (module == nullptr) return order;
  std::vector<std::pair<int64_t, CompId>> numbers;
  const std::vector<AssignedValue>& values = given.assignment().values;
  for (size_t i = 0; i < values.size(); ++i) {
    const InstId inst = given.value(ValueId(i)).inst;
    // The values that loops and branches add are numbered after all others.
    if (!inst.valid() || values[i].is_phi) continue;
    numbers.emplace_back(values[i].id, module->inst(inst).parent);
  }
  std::sort(numbers.begin(), numbers.end());
  std::vector<bool> is_known(module->comps.size(), false);
  for (const auto& [number, comp] : numbers) {
    if (is_known[comp.index()]) continue;
    is_known[comp.index()] = true;
    order.push_back(comp);
  }
  return order;
}

Result<PlannedMemory> PlanMemory(const Module& module, const AssignOptions& options) {
  const Dataflow flow(module, options.numbered);
  if (!flow.problem().empty()) {
    return MakeBinaryDiagnostic(
        diag::kCannotPlan, 0,
        "this module's memory cannot be planned: " + std::string(flow.problem()));
  }
  const InPlacePairs in_place(flow, options.rules.sharing);
  std::vector<AliasEntry> aliases;
  if (options.aliases) {
    aliases = *options.aliases;
  } else if (const Attr* attr = module.Find(module.attrs, AttrKey::k_input_output_alias)) {
    aliases = DecodeAliases(module.list(attr->value));
  }
  const Buffers buffers(flow, in_place, aliases);
  const LiveRanges ranges(flow, buffers, options.rules.live_ranges);
  const ModuleProblem problem(flow, in_place, buffers, ranges, options);
  std::vector<PresetAllocation> presets;
  for (const PresetColor& given : options.presets) {
    PresetAllocation& preset = presets.emplace_back(PresetAllocation{given.size, given.color, {}});
    for (const PresetValue& value : given.values) {
      const FlowId at = flow.at(value.inst, value.node);
      if (at.valid()) preset.values.push_back({at, value.offset, value.size});
    }
  }
  Assigner assigner(problem, options.rules);
  assigner.Run(presets);
  return OutcomeOf(flow, ranges, problem, assigner.allocations(), options.with_uses);
}

Result<Assignment> AssignBuffers(const Module& module, const AssignOptions& options) {
  Result<PlannedMemory> planned = PlanMemory(module, options);
  if (!planned.ok()) return planned.error();
  return std::move(planned->assignment);
}

Assignment ReassignBuffers(const Assignment& printed, const BackendRules& rules,
                           bool keeps_presets) {
  const PrintedProblem problem(printed, rules);
  std::vector<PresetAllocation> presets;
  for (const SpaceDescription& space : DescriptionOf(rules.backend).spaces) {
    if (!keeps_presets || !space.is_preset) continue;
    for (const Allocation& allocation : printed.allocations) {
      if (allocation.color != space.number || !allocation.is_preallocated_temp) continue;
      PresetAllocation& preset =
          presets.emplace_back(PresetAllocation{allocation.size, space.number, {}});
      for (const ValueId id : printed.values_of(allocation)) {
        const AssignedValue& value = printed.value(id);
        preset.values.push_back({FlowId(id.value), value.offset, value.size});
      }
    }
  }
  Assigner assigner(problem, rules);
  assigner.Run(presets);
  Assignment result = printed;
  result.allocations.clear();
  result.placed.clear();
  result.total_bytes = 0;
  const TextId root = printed.sequence.empty() ? TextId() : printed.sequence.back();
  std::vector<ValueId> row(printed.values.size());
  for (size_t i = 0; i < row.size(); ++i) row[i] = ValueId(i);
  for (const PlannedAllocation& planned : assigner.allocations()) {
    Allocation& allocation = AddAllocation(planned, row, result);
    if (planned.parameter.valid()) {
      const AssignedValue& parameter = printed.values[planned.parameter.index()];
      const Allocation& known = printed.allocation(parameter.allocation);
      allocation.parameter = known.parameter;
      allocation.parameter_index = known.parameter_index;
      allocation.parameter_shape = known.parameter_shape;
    }
    for (const PlannedAllocation::Placed& placed : planned.values) {
      const AssignedValue& value = printed.values[placed.value.index()];
      for (const ValuePosition& position : printed.positions_of(value)) {
        if (position.instruction != root || !printed.index(position.index).empty()) continue;
        allocation.output_shape = printed.allocation(value.allocation).output_shape;
      }
    }
  }
  return result;
}

}  // namespace halo

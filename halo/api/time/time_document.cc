// Puts the parts of a result where the document has them. Lists that are cut are filled no further
// than they are shown.
#include "halo/api/time/time_document.h"

#include <algorithm>
#include <utility>

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/memory/backend/backend.h"

namespace halo {
namespace {

v0::TimeCost CostOf(const Cost& cost) {
  return {.flops = cost.work.flops,
          .product_flops = cost.work.product_flops,
          .transcendentals = cost.work.transcendentals,
          .bytes_read = cost.traffic.read,
          .bytes_written = cost.traffic.written,
          .near_bytes = cost.traffic.near,
          .host_bytes = cost.traffic.host,
          .sent_bytes = cost.sent,
          .known = cost.known};
}

std::vector<v0::TimeGroup> GroupsOf(const std::vector<TimeGroup>& groups, size_t top = SIZE_MAX) {
  std::vector<v0::TimeGroup> all;
  for (size_t i = 0; i < std::min(top, groups.size()); ++i) all.push_back(TimeGroupOf(groups[i]));
  return all;
}

v0::TimeOfStep StepOf(const StepTime& step) {
  return {.floor_seconds = step.floor,
          .estimate_seconds = step.estimate,
          .serial_seconds = step.serial,
          .compute_seconds = step.compute,
          .exposed_seconds = step.exposed,
          .hidden_seconds = step.hidden,
          .stalled_seconds = step.stalled,
          .gap_seconds = step.gaps,
          .critical_collective_seconds = step.critical_links,
          .unknown_seconds = step.unknown};
}

v0::TimeAtScale ScaleOf(const Module& module, const ScaleStep& scale) {
  v0::TimeAtScale all = {.devices = scale.layout.total(),
                         .data_parallel = scale.layout.copies,
                         .devices_per_node = scale.layout.per_node,
                         .classes = scale.classes,
                         .step_seconds = scale.seconds,
                         .waiting_seconds = scale.exposed,
                         .gradient_bytes = scale.gradient_bytes,
                         .gradient_seconds = scale.gradient_seconds,
                         .straggler_seconds = scale.straggler_seconds,
                         .collectives = {}};
  for (const ScaledCollective& each : scale.collectives) {
    all.collectives.push_back({.name = std::string(module.name_of(module.inst(each.inst))),
                               .nodes = each.nodes,
                               .devices = each.devices,
                               .seconds = each.seconds});
  }
  return all;
}

void FillParts(const TimeResult& from, v0::TimeResult& to) {
  for (const Document& each : from.inputs.documents) {
    to.inputs.push_back(InputOf(each));
    AppendReadingDiagnostics(each, to.diagnostics);
  }
  if (!from.succeeded) {
    AppendDiagnostics(from.inputs.diagnostics, from.inputs.module_path, to.diagnostics);
    AppendDiagnostics(from.diagnostics, from.inputs.module_path, to.diagnostics);
  }
  for (const ProfileSummary& each : from.profiles) {
    AppendDiagnostics(each.diagnostics, each.path, to.diagnostics);
  }
}

void FillAssumptions(const TimeResult& from, v0::TimeResult& to) {
  to.backend = {.is = std::string(BackendText(from.backend)), .why = from.backend_why};
  to.device = {.name = from.device.name,
               .title = from.device.title,
               .why = from.device_why,
               .certain = from.device_is_certain,
               .figures = DeviceFiguresOf(from.device.rates)};
  to.scheduled = from.is_scheduled;
  to.trip_counts_known = from.trips_known;
  to.autotuned = static_cast<int64_t>(from.autotuned);
}

void FillLists(const TimeResult& from, size_t top, v0::TimeResult& to) {
  const std::vector<const TimedOp*> exposed = ExposedOps(from);
  for (size_t i = 0; i < std::min(top, exposed.size()); ++i) {
    to.exposed.push_back(ExposedOpOf(*exposed[i]));
  }
  for (const TimeAdvice& each : from.advice) to.advice.push_back(TimeAdviceOf(each));
  for (const TimeGroup& each : from.types) {
    to.product_flops_by_type.emplace_back(each.name, each.seconds);
  }
  to.scopes = GroupsOf(from.scopes, top);
  to.kinds = GroupsOf(from.kinds);
  to.sources = GroupsOf(from.sources);
  to.bounds = GroupsOf(from.bounds);
  to.op_count = static_cast<int64_t>(from.ops.size());
  for (size_t i = 0; i < std::min(top, from.ops.size()); ++i) {
    to.ops.push_back(TimeOpOf(from.ops[i]));
  }
}

}  // namespace

v0::TimeOp TimeOpOf(const TimedOp& op) {
  v0::TimeOp to = {.name = op.name,
                   .opcode = op.opcode,
                   .kind = std::string(KernelKindText(op.kind)),
                   .computation = op.computation,
                   .shape = op.shape,
                   .op_name = op.op_name,
                   .scope = op.scope,
                   .source = op.source,
                   .runs = op.runs,
                   .seconds = op.time.seconds,
                   .low_seconds = op.time.low,
                   .high_seconds = op.time.high,
                   .floor_seconds = op.time.floor,
                   .total_seconds = op.total(),
                   .exposed_seconds = op.exposed,
                   .critical_seconds = op.critical,
                   .estimated_by = std::string(TimeSourceText(op.time.source)),
                   .confidence = std::string(TimeConfidenceText(op.time.confidence)),
                   .bound = std::string(TimeBoundText(op.time.bound)),
                   .product_type = {},
                   .payload_bytes = {},
                   .group_size = {},
                   .cost = CostOf(op.cost)};
  if (op.cost.work.product_flops > 0) to.product_type = TextOf(op.cost.work.product_type);
  if (op.group_size > 0) {
    to.payload_bytes = op.payload;
    to.group_size = op.group_size;
  }
  return to;
}

v0::TimeGroup TimeGroupOf(const TimeGroup& group) {
  return {.name = group.name,
          .count = group.count,
          .seconds = group.seconds,
          .exposed_seconds = group.exposed};
}

v0::ExposedOp ExposedOpOf(const TimedOp& op) {
  return {.name = op.name,
          .source = op.source,
          .exposed_seconds = op.exposed * op.runs,
          .total_seconds = op.total()};
}

v0::TimeAdvice TimeAdviceOf(const TimeAdvice& advice) {
  return {.kind = std::string(TimeAdviceText(advice.kind)),
          .text = advice.text,
          .saved_seconds = advice.seconds,
          .at_most = advice.at_most,
          .exposed_seconds = advice.exposed,
          .bytes_longer = advice.bytes,
          .instructions = advice.names,
          .instruction_count = static_cast<int64_t>(advice.names.size())};
}

std::vector<v0::DeviceFigure> DeviceFiguresOf(const DeviceRates& rates, bool with_sources) {
  std::vector<v0::DeviceFigure> figures;
  ForEachFigure(rates, [&](std::string_view name, const Figure& each) {
    if (each.value <= 0) return;
    figures.push_back({.name = std::string(name), .value = each.value, .source = {}});
    if (with_sources) figures.back().source = FigureSourceText(each.source);
  });
  return figures;
}

v0::TimeResult TimeDocument(const TimeResult& result, size_t top) {
  v0::TimeResult document;
  FillParts(result, document);
  if (!result.succeeded) return document;
  document.succeeded = true;
  document.program = result.program;
  document.verdict = result.verdict;
  FillAssumptions(result, document);
  document.step = StepOf(result.step);
  if (result.scale) document.scale = ScaleOf(*result.inputs.module, *result.scale);
  document.cost = CostOf(result.cost);
  document.cost_once = CostOf(result.cost_once);
  FillLists(result, top, document);
  if (result.measured) document.measured = MeasuredTimeOf(result, top);
  return document;
}

std::string TimeJson(const TimeResult& result, size_t top) {
  return describe::DocumentJson(TimeDocument(result, top), top);
}

}  // namespace halo

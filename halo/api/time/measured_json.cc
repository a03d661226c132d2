// The field "measured" of the result of `halo time`.
#include <algorithm>

#include "halo/api/time/time.h"
#include "halo/api/time/time_measured.h"

namespace halo {
namespace {

double Quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

void ComparedOpJson(const TimedOp& op, const ComparedOp& each, JsonWriter& json) {
  json.BeginObject()
      .Field("name", op.name)
      .Field("opcode", op.opcode)
      .Field("kind", KernelKindText(op.kind))
      .Field("scope", op.scope)
      .Field("runs", op.runs)
      .Field("events", each.events)
      .Field("seconds", each.seconds)
      .Field("predicted_seconds", op.time.seconds)
      .Field("ratio", Quotient(each.seconds, op.time.seconds))
      .Field("roofline_share", Quotient(op.time.floor, each.seconds))
      .Field("difference_seconds", (each.seconds - op.time.seconds) * op.runs)
      .Field("from", TimeSourceText(op.time.source))
      .Field("bound", TimeBoundText(op.time.bound))
      .EndObject();
}

}  // namespace

void MeasuredJson(const TimeResult& result, size_t top, JsonWriter& json) {
  const TimeMeasured& measured = *result.measured;
  const MeasuredModule& join = measured.join;
  json.Key("measured").BeginObject().Field("verdict", measured.verdict);
  json.Key("profiles").BeginArray();
  for (const ProfileSummary& each : result.profiles) {
    json.BeginObject()
        .Field("path", each.path)
        .Field("kind", ProfileKindText(each.kind))
        .Field("events", each.events)
        .Field("devices", each.devices)
        .Field("programs", each.programs)
        .EndObject();
  }
  json.EndArray();
  json.Key("programs").BeginArray();
  for (const std::string& each : join.programs) json.String(each);
  json.EndArray();
  json.Field("why", join.why)
      .Field("step_seconds", join.step_seconds)
      .Field("shortest_step_seconds", join.shortest_step)
      .Field("longest_step_seconds", join.longest_step)
      .Field("steps", join.steps)
      .Field("devices", join.devices)
      .Field("op_seconds", measured.measured)
      .Field("predicted_op_seconds", measured.predicted)
      .Field("weighted_error", measured.error);
  json.Key("events")
      .BeginObject()
      .Field("named", join.events)
      .Field("joined", join.joined)
      .Field("other_programs", join.other_programs)
      .Field("other_steps", join.other_steps)
      .Field("unknown_ops", join.unknown_events)
      .Field("unnamed", join.unnamed)
      .Field("launches", join.launches)
      .EndObject();
  json.Key("unknown_ops").BeginArray();
  for (size_t i = 0; i < std::min(top, join.unknown.size()); ++i) {
    json.BeginObject()
        .Field("name", join.unknown[i].name)
        .Field("events", join.unknown[i].events)
        .EndObject();
  }
  json.EndArray();
  json.Field("containers", measured.containers)
      .Field("unpredicted_ops", measured.unpredicted)
      .Field("unpredicted_seconds", measured.unpredicted_seconds)
      .Field("unmeasured_ops", measured.unmeasured)
      .Field("unmeasured_seconds", measured.unmeasured_seconds);
  json.Key("kinds").BeginArray();
  for (const ComparedKind& each : measured.kinds) {
    json.BeginObject()
        .Field("name", KernelKindText(each.kind))
        .Field("count", each.count)
        .Field("seconds", each.measured)
        .Field("predicted_seconds", each.predicted)
        .Field("ratio", Quotient(each.measured, each.predicted))
        .Field("roofline_share", Quotient(each.floor, each.measured))
        .EndObject();
  }
  json.EndArray();
  json.Field("op_count", measured.ops.size());
  json.Key("ops").BeginArray();
  for (size_t i = 0; i < std::min(top, measured.ops.size()); ++i) {
    ComparedOpJson(result.ops[measured.ops[i].op], measured.ops[i], json);
  }
  json.EndArray().EndObject();
}

}  // namespace halo

// The part of the result of `halo time` that needs a profile.
#include <algorithm>

#include "halo/api/time/time_document.h"
#include "halo/api/time/time_measured.h"

namespace halo {
namespace {

double Quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

v0::MeasuredOp MeasuredOpOf(const TimedOp& op, const ComparedOp& measured) {
  return {.name = op.name,
          .opcode = op.opcode,
          .kind = std::string(KernelKindText(op.kind)),
          .scope = op.scope,
          .runs = op.runs,
          .events = static_cast<int64_t>(measured.events),
          .seconds = measured.seconds,
          .predicted_seconds = op.time.seconds,
          .ratio = Quotient(measured.seconds, op.time.seconds),
          .roofline_share = Quotient(op.time.floor, measured.seconds),
          .difference_seconds = (measured.seconds - op.time.seconds) * op.runs,
          .estimated_by = std::string(TimeSourceText(op.time.source)),
          .bound = std::string(TimeBoundText(op.time.bound))};
}

v0::MeasuredKind MeasuredKindOf(const ComparedKind& kind) {
  return {.name = std::string(KernelKindText(kind.kind)),
          .count = static_cast<int64_t>(kind.count),
          .seconds = kind.measured,
          .predicted_seconds = kind.predicted,
          .ratio = Quotient(kind.measured, kind.predicted),
          .roofline_share = Quotient(kind.floor, kind.measured)};
}

// How the profiles and the module fit together.
void FillJoin(const MeasuredModule& join, size_t top, v0::MeasuredTime& to) {
  to.programs = join.programs;
  to.why = join.why;
  to.step_seconds = join.step_seconds;
  to.shortest_step_seconds = join.shortest_step;
  to.longest_step_seconds = join.longest_step;
  to.steps = static_cast<int64_t>(join.steps);
  to.devices = static_cast<int64_t>(join.devices);
  to.events = {.named = static_cast<int64_t>(join.events),
               .joined = static_cast<int64_t>(join.joined),
               .other_programs = static_cast<int64_t>(join.other_programs),
               .other_steps = static_cast<int64_t>(join.other_steps),
               .unknown_ops = static_cast<int64_t>(join.unknown_events),
               .unnamed = static_cast<int64_t>(join.unnamed),
               .launches = static_cast<int64_t>(join.launches)};
  for (size_t i = 0; i < std::min(top, join.unknown.size()); ++i) {
    to.unknown_ops.push_back(
        {.name = join.unknown[i].name, .events = static_cast<int64_t>(join.unknown[i].events)});
  }
}

}  // namespace

v0::MeasuredTime MeasuredTimeOf(const TimeResult& result, size_t top) {
  const TimeMeasured& from = *result.measured;
  v0::MeasuredTime to;
  to.verdict = from.verdict;
  for (const ProfileSummary& each : result.profiles) {
    to.profiles.push_back({.path = each.path,
                           .kind = std::string(ProfileKindText(each.kind)),
                           .events = static_cast<int64_t>(each.events),
                           .devices = static_cast<int64_t>(each.devices),
                           .programs = static_cast<int64_t>(each.programs)});
  }
  FillJoin(from.join, top, to);
  to.op_seconds = from.measured;
  to.predicted_op_seconds = from.predicted;
  to.weighted_error = from.error;
  to.containers = static_cast<int64_t>(from.containers);
  to.unpredicted_ops = static_cast<int64_t>(from.unpredicted);
  to.unpredicted_seconds = from.unpredicted_seconds;
  to.unmeasured_ops = static_cast<int64_t>(from.unmeasured);
  to.unmeasured_seconds = from.unmeasured_seconds;
  for (const ComparedKind& each : from.kinds) to.kinds.push_back(MeasuredKindOf(each));
  to.op_count = static_cast<int64_t>(from.ops.size());
  for (size_t i = 0; i < std::min(top, from.ops.size()); ++i) {
    to.ops.push_back(MeasuredOpOf(result.ops[from.ops[i].op], from.ops[i]));
  }
  return to;
}

}  // namespace halo

// Differences are those of a whole step, so that an instruction which is wrong by little but runs
// often comes before one that is wrong by much and hardly matters.
#include "halo/api/time/time_measured.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "halo/api/time/time.h"
#include "halo/dump/dump_name.h"
#include "halo/dump/open_file.h"
#include "halo/memory/model/memory_diagnostics.h"
#include "halo/profile/read_profile.h"

namespace halo {
namespace {

void TakeProfile(std::string_view bytes, const std::string& path, ProfileSummary& summary,
                 std::vector<Profile>& profiles) {
  Profile& profile = profiles.emplace_back(ReadProfile(bytes, path));
  summary.kind = profile.kind;
  summary.events = profile.events.size();
  summary.devices = profile.devices.size();
  summary.programs = profile.programs.size();
  summary.diagnostics = profile.diagnostics;
}

std::vector<Profile> OpenProfiles(const TimeRequest& request, TimeResult& result) {
  std::vector<Profile> profiles;
  for (const std::string& path : request.profiles) {
    ProfileSummary& summary = result.profiles.emplace_back();
    summary.path = path;
    const Result<SourceBuffer> source = OpenDumpFile(path);
    if (source) {
      TakeProfile(source->bytes(), path, summary, profiles);
    } else {
      summary.diagnostics.Add(source.error());
    }
  }
  for (const OpenProfile& each : request.open_profiles) {
    ProfileSummary& summary = result.profiles.emplace_back();
    summary.path = each.path;
    TakeProfile(each.bytes, each.path, summary, profiles);
  }
  return profiles;
}

std::optional<uint64_t> NumberInDump(std::string_view path) {
  const DumpName name = ParseDumpName(path.substr(path.rfind('/') + 1));
  if (!name.has_module || name.number < 0) return std::nullopt;
  return static_cast<uint64_t>(name.number);
}

bool RunsComputations(const Module& module, InstId inst) {
  std::vector<CompId> called;
  module.CalledBy(module.inst(inst), called);
  return KernelOf(module, inst).kind == KernelKind::kNone && !called.empty();
}

std::string PercentText(double share) {
  return std::to_string(static_cast<int64_t>(std::round(std::abs(share) * 100))) + "%";
}

std::string MeasuredSentence(const TimeResult& result, const TimeMeasured& measured) {
  const MeasuredModule& join = measured.join;
  std::string text = "measured " + HumanSeconds(join.step_seconds) + " per step";
  if (join.steps > 1) {
    text += " (median of " + std::to_string(join.steps) + ", " + HumanSeconds(join.shortest_step) +
            " to " + HumanSeconds(join.longest_step) + ")";
  }
  const double predicted = result.step.estimate;
  text += "; predicted " + HumanSeconds(predicted) + " on " + result.device.name;
  if (join.step_seconds > 0) {
    const double excess = predicted / join.step_seconds - 1;
    text += ", " + PercentText(excess) + (excess < 0 ? " too short" : " too long");
  }
  if (measured.ops.empty()) return text;
  const ComparedOp& worst = measured.ops.front();
  const TimedOp& op = result.ops[worst.op];
  text += "; furthest off: " + op.name + ", " + HumanSeconds(worst.seconds * op.runs) +
          " instead of " + HumanSeconds(op.total());
  return text;
}

}  // namespace

std::optional<TimeMeasured> CompareWithProfiles(const TimeRequest& request, TimeResult& result) {
  TimeMeasured measured;
  const Module& module = *result.inputs.module;
  const std::vector<Profile> profiles = OpenProfiles(request, result);
  if (!std::all_of(result.profiles.begin(), result.profiles.end(),
                   [](const ProfileSummary& each) { return each.diagnostics.ok(); })) {
    return std::nullopt;
  }
  const std::vector<RunCount> runs = CountRuns(module);
  measured.join = JoinProfiles(
      module, runs, profiles,
      {.program = NumberInDump(result.inputs.module_path), .step = request.profile_step});
  if (measured.join.joined == 0) {
    Diagnostic none = MakeBinaryDiagnostic(
        diag::kCannotExplain, 0,
        "no event of the profile belongs to " + result.program + ": " + measured.join.why);
    none.help = "--module chooses another program of a dump or of a profile";
    result.diagnostics.Add(std::move(none));
    return std::nullopt;
  }
  std::vector<bool> is_predicted(module.insts.size());
  std::array<ComparedKind, kKernelKinds> kinds;
  double difference = 0;
  for (size_t i = 0; i < result.ops.size(); ++i) {
    const TimedOp& op = result.ops[i];
    const MeasuredInst& inst = measured.join.insts[op.inst.index()];
    is_predicted[op.inst.index()] = true;
    if (inst.events == 0) {
      ++measured.unmeasured;
      measured.unmeasured_seconds += op.total();
      continue;
    }
    measured.ops.push_back({i, inst.seconds, inst.events});
    measured.measured += inst.seconds * op.runs;
    measured.predicted += op.total();
    difference += std::abs(op.time.seconds - inst.seconds) * op.runs;
    ComparedKind& kind = kinds[static_cast<size_t>(op.kind)];
    kind.kind = op.kind;
    ++kind.count;
    kind.measured += inst.seconds * op.runs;
    kind.predicted += op.total();
    kind.floor += op.time.floor * op.runs;
  }
  if (measured.measured > 0) measured.error = difference / measured.measured;
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const MeasuredInst& inst = measured.join.insts[i];
    if (inst.events == 0 || is_predicted[i]) continue;
    if (RunsComputations(module, InstId(i))) {
      ++measured.containers;
      continue;
    }
    ++measured.unpredicted;
    const auto parent = module.inst(InstId(i)).parent.index();
    measured.unpredicted_seconds +=
        inst.seconds * static_cast<double>(std::max<int64_t>(runs[parent].runs, 1));
  }
  const auto gap = [&](const ComparedOp& each) {
    const TimedOp& op = result.ops[each.op];
    return std::abs(op.time.seconds - each.seconds) * op.runs;
  };
  std::sort(measured.ops.begin(), measured.ops.end(),
            [&](const ComparedOp& a, const ComparedOp& b) {
              const double left = gap(a), right = gap(b);
              return left != right ? left > right : a.op < b.op;
            });
  for (const ComparedKind& kind : kinds) {
    if (kind.count > 0) measured.kinds.push_back(kind);
  }
  std::sort(measured.kinds.begin(), measured.kinds.end(),
            [](const ComparedKind& a, const ComparedKind& b) { return a.measured > b.measured; });
  measured.verdict = MeasuredSentence(result, measured);
  return measured;
}

Calibration CalibrationFrom(const TimeRequest& request, const TimeResult& result) {
  CalibrationSums sums;
  for (const ComparedOp& each : result.measured->ops) {
    const TimedOp& op = result.ops[each.op];
    sums.Add(op.kind, each.seconds * op.runs, op.total());
  }
  Calibration calibration = sums.Fit();
  calibration.device = result.device.name;
  calibration.program = result.program;
  // The step of the calibrated instructions, by the same schedule.
  TimeRequest again = request;
  again.profiles.clear();
  again.open_profiles.clear();
  again.calibration = calibration;
  const TimeResult calibrated = AnalyzeTime(again);
  if (calibrated.succeeded && calibrated.step.estimate > 0 &&
      result.measured->join.step_seconds > 0) {
    calibration.step =
        std::clamp(result.measured->join.step_seconds / calibrated.step.estimate, 1e-3, 1e3);
  }
  return calibration;
}

}  // namespace halo

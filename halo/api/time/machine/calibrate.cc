// Each program runs often enough for one undisturbed run; the fastest counts. A program that the
// engine cannot run leaves a gap in its curve.
#include "halo/api/time/machine/calibrate.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/run/run.h"
#include "halo/api/time/machine/calibration_programs.h"
#include "halo/api/time/time.h"
#include "halo/base/machine_cores.h"
#include "halo/base/strings/human_size.h"
#include "halo/cost/count/module_cost.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

constexpr int64_t kFewRuns = 6, kManyRuns = 400;
constexpr double kBytesOfAll = 6e8;  // that all runs of one program move, about

Diagnostic CannotMeasure(std::string message) {
  return MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message));
}

// The amount of work of a program's root that the curve is about, and its bytes.
struct Amount {
  double work = 0, bytes = 0;
};
std::optional<Amount> AmountOf(const Module& module, std::string_view curve) {
  const ModuleCost cost(module, Backend::kCpu);
  if (!cost.problem().empty()) return std::nullopt;
  const InstId root = module.comp(module.entry).root;
  const Cost& of_root = cost.of(root);
  for (const KernelWork& each : WorkOf(module, KernelOf(module, root), of_root)) {
    if (each.curve == curve && each.amount > 0) {
      return Amount{each.amount, of_root.traffic.main() + of_root.work.flops};
    }
  }
  return std::nullopt;
}

std::string ProcessorName() {
  std::string name = "this CPU";
  std::FILE* file = std::fopen("/proc/cpuinfo", "r");
  if (file == nullptr) return name;
  std::array<char, 512> line;
  while (std::fgets(line.data(), line.size(), file) != nullptr) {
    const std::string_view text(line.data());
    if (!text.starts_with("model name")) continue;
    const size_t from = text.find(": ");
    if (from != std::string_view::npos) {
      name = text.substr(from + 2, text.find('\n') - from - 2);
    }
    break;
  }
  std::fclose(file);
  return name;
}

Figure MeasuredFigure(double value) { return {value, FigureSource::kMeasured}; }

double BestRateOf(const MachineCurves& curves, std::string_view name) {
  const WorkCurve* curve = curves.Find(name);
  return curve == nullptr ? 0 : curve->BestRate();
}

}  // namespace

Result<TimeDevice> CalibrateMachine(const CalibrateRequest& request) {
  if (request.engine == nullptr)
    return CannotMeasure("there is no compiled engine to measure with");
  std::map<std::string, std::vector<CurvePoint>> points;
  const std::vector<CalibrationProgram> programs = CalibrationPrograms();
  for (size_t i = 0; i < programs.size(); ++i) {
    const CalibrationProgram& program = programs[i];
    if (request.progress) request.progress(i, programs.size());
    const Document document =
        ReadDocument(SourceBuffer::Copy(program.text, program.curve), program.curve);
    if (document.errors() > 0 || document.modules.size() != 1) {
      return CannotMeasure("a program for " + program.curve + " cannot be read");
    }
    const std::optional<Amount> amount = AmountOf(document.modules[0].module, program.curve);
    if (!amount) return CannotMeasure("a program has no work for " + program.curve);
    RunRequest run;
    run.opened = &document;
    run.compiled = request.engine;
    run.random = 1;
    run.compiling.threads = request.threads;
    run.compiling.cache_dir = request.cache_dir;
    run.compiling.wants_profile = true;
    run.compiling.wants_limits = false;
    run.compiling.repeat = std::clamp(
        static_cast<int64_t>(kBytesOfAll / std::max(amount->bytes, 1.0)), kFewRuns, kManyRuns);
    const RunResult result = RunProgram(run);
    if (!result.succeeded || result.engine != Engine::kCompiled) continue;
    double seconds = 0;
    for (const ProfileRow& row : result.report.profile) seconds += row.seconds;
    if (seconds > 0) points[program.curve].push_back({amount->work, seconds});
  }
  auto curves = std::make_shared<MachineCurves>();
  for (auto& [name, list] : points) curves->by_name[name] = WorkCurve(std::move(list));
  const WorkCurve* copies = curves->Find("copy bytes");
  if (copies == nullptr || curves->Find("loop bytes") == nullptr) {
    return CannotMeasure("the engine ran none of the programs to measure with");
  }
  TimeDevice device;
  device.name = "this-cpu";
  device.title = request.title.empty() ? ProcessorName() : request.title;
  device.backend = Backend::kCpu;
  DeviceRates& rates = device.rates;
  const CurvePoint& largest = copies->points().back();
  rates.bandwidth = MeasuredFigure(largest.work / largest.seconds);
  rates.cores =
      MeasuredFigure(request.threads > 0 ? request.threads : static_cast<double>(MachineCores()));
  rates.f32 = MeasuredFigure(BestRateOf(*curves, "product f32 flops"));
  rates.bf16 = MeasuredFigure(BestRateOf(*curves, "product bf16 flops"));
  rates.f64 = MeasuredFigure(BestRateOf(*curves, "product f64 flops"));
  device.curves = std::move(curves);
  return device;
}

std::string MachineText(const TimeDevice& device) {
  std::string out = device.title + "\n";
  const auto rate = [](double value, const char* unit) {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g %s", value / 1e9, unit);
    return std::string(text);
  };
  ForEachFigure(device.rates, [&](std::string_view name, const Figure& figure) {
    if (figure.value <= 0) return;
    const bool is_bytes = name == "bandwidth";
    const bool is_count = name == "cores";
    out += "  " +
           std::string(is_bytes   ? "memory"
                       : is_count ? "threads"
                                  : name) +
           ": " +
           (is_count ? std::to_string(static_cast<int64_t>(figure.value))
                     : rate(figure.value, is_bytes ? "GB/s" : "GFLOP/s")) +
           "\n";
  });
  if (const WorkCurve* levels = device.curves->Find("loop bytes")) {
    out += "  starting a kernel: " + HumanSeconds(levels->Start()) + "\n";
    for (const CurvePoint& each : levels->points()) {
      out += "  a kernel with " + HumanBytes(static_cast<int64_t>(each.work)) + ": " +
             rate(each.work / each.seconds, "GB/s") + "\n";
    }
  }
  return out;
}

}  // namespace halo

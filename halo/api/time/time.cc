// Opens the module, chooses the device, predicts every instruction and sums them up. Every
// instruction is listed once with the number of its runs. Another scale, profiles and advice come
// after these facts and change none of them.
#include "halo/api/time/time.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>

#include "halo/analysis/graph/run_counts.h"
#include "halo/api/time/time_memory.h"
#include "halo/cost/count/module_cost.h"
#include "halo/cost/device/infer_device.h"
#include "halo/cost/predict/autotune.h"
#include "halo/cost/predict/model_constants.h"
#include "halo/cost/predict/predictor.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

void RefuseTime(std::string message, TimeResult& result) {
  result.diagnostics.Add(MakeBinaryDiagnostic(diag::kCannotExplain, 0, std::move(message)));
}

void ChooseBackend(const TimeRequest& request, const Module& module, TimeResult& result) {
  const BackendGuess guess = DetectBackend(module, result.inputs.module_path);
  result.backend = request.backend ? request.backend : guess.backend;
  result.backend_why = request.backend ? "as requested" : guess.why;
}

// Times that the autotuner measured hold for the device that it ran on only.
bool IsAutotunedDevice(const AutotuneTable& autotune, const Module& module,
                       const TimeDevice& device) {
  if (autotune.size() == 0) return false;
  if (autotune.device().empty()) return true;
  const DeviceGuess guess =
      InferDevice(module, {.backend = Backend::kGpu, .autotuned_on = autotune.device()});
  return guess.name == device.name;
}

// False if no device has the requested name.
bool ChooseDevice(const TimeRequest& request, const Module& module, const AutotuneTable& autotune,
                  TimeResult& result) {
  if (request.own_device) {
    result.device = *request.own_device;
    result.device_why = "as requested";
  } else if (!request.device.empty()) {
    std::optional<TimeDevice> device = FindTimeDevice(request.device);
    if (!device) {
      RefuseTime("no rates are known of a device called " + request.device, result);
      return false;
    }
    result.device = *std::move(device);
    result.device_why = "as requested";
  } else {
    const std::string& path = result.inputs.module_path;
    const std::optional<TimeText>& config = result.inputs.target_config;
    const DeviceGuess guess = InferDevice(
        module, {.backend = result.backend,
                 .file_name = std::string_view(path).substr(path.rfind('/') + 1),
                 .target_config = config ? std::string_view(config->text) : std::string_view(),
                 .autotuned_on = autotune.device()});
    result.device = FindTimeDevice(guess.name).value_or(TimeDevice());
    result.device_why = guess.why;
    result.device_is_certain = guess.is_certain;
  }
  if (!result.backend) result.backend = result.device.backend;
  return true;
}

// Another fabric than the device's.
void ChangeFabric(const TimeRequest& request, const Module& module, DeviceRates& rates) {
  constexpr FigureSource kAsked = FigureSource::kRequested;
  if (request.links > 0) {
    rates.link = {request.links, kAsked};
    rates.links = {1, kAsked};
  }
  if (request.network > 0) rates.network = {request.network, kAsked};
  if (request.nodes > 0) {
    const int64_t devices = ProgramDevices(module);
    rates.node = {static_cast<double>((devices + request.nodes - 1) / request.nodes), kAsked};
  }
}

void AddToGroup(std::map<std::string, TimeGroup>& groups, const std::string& name,
                const TimedOp& op) {
  TimeGroup& group = groups[name];
  group.name = name;
  ++group.count;
  group.seconds += op.total();
  group.exposed += op.exposed * op.runs;
}

std::vector<TimeGroup> Sorted(std::map<std::string, TimeGroup>&& groups) {
  std::vector<TimeGroup> list;
  for (auto& [name, group] : groups) list.push_back(std::move(group));
  std::sort(list.begin(), list.end(), [](const TimeGroup& a, const TimeGroup& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.name < b.name;
  });
  return list;
}

TimedOp MakeOp(const Module& module, InstId id, ModuleCost& cost, Kernels& kernels) {
  const Inst& inst = module.inst(id);
  TimedOp op;
  op.inst = id;
  op.name = module.name_of(inst);
  op.opcode = module.opcode_text(inst);
  op.computation = module.text(module.comp(inst.parent).name);
  op.shape = module.shapes.Text(inst.shape, /*with_layout=*/false);
  const Origin origin = OriginOf(module, id);
  op.op_name = origin.op_name;
  op.scope = ScopeOf(origin.op_name);
  op.source = SourceText(origin);
  const Kernel kernel = kernels.Of(id);
  op.kind = kernel.kind;
  op.cost = cost.of(id);
  const WireUse use = cost.wire(kernel.hero);
  if (use.group != nullptr) {
    op.payload = use.payload;
    op.group_size = use.group->size;
  }
  return op;
}

void Summarize(TimeResult& result) {
  std::sort(result.ops.begin(), result.ops.end(), [](const TimedOp& a, const TimedOp& b) {
    return a.total() != b.total() ? a.total() > b.total() : a.name < b.name;
  });
  std::map<std::string, TimeGroup> scopes, kinds, sources, bounds, types;
  for (const TimedOp& op : result.ops) {
    AddToGroup(scopes, op.scope.empty() ? op.opcode : op.scope, op);
    AddToGroup(kinds, std::string(KernelKindText(op.kind)), op);
    AddToGroup(sources, std::string(TimeSourceText(op.time.source)), op);
    AddToGroup(bounds, std::string(TimeBoundText(op.time.bound)), op);
    if (op.cost.work.product_flops > 0) {
      TimeGroup& type = types[std::string(TextOf(op.cost.work.product_type))];
      type.name = TextOf(op.cost.work.product_type);
      ++type.count;
      type.seconds += op.cost.work.product_flops * op.runs;
    }
  }
  result.scopes = Sorted(std::move(scopes));
  result.kinds = Sorted(std::move(kinds));
  if (result.step.gaps > 0) {
    for (auto* groups : {&sources, &bounds}) {
      (*groups)["gaps"] = {.name = "gaps between kernels", .seconds = result.step.gaps};
    }
  }
  result.sources = Sorted(std::move(sources));
  result.bounds = Sorted(std::move(bounds));
  result.types = Sorted(std::move(types));
}

std::string PercentOf(double part, double whole) {
  if (whole <= 0) return "0%";
  return std::to_string(static_cast<int64_t>(part / whole * 100 + 0.5)) + "%";
}

// The innermost parts of a long scope; a verdict is one sentence.
std::string EndOfScope(const std::string& scope) {
  constexpr int kParts = 3;
  size_t begin = scope.size();
  for (int i = 0; i < kParts && begin != std::string::npos; ++i) {
    begin = begin == 0 ? std::string::npos : scope.rfind('/', begin - 1);
  }
  return begin == std::string::npos || begin == 0 ? scope : "..." + scope.substr(begin);
}

std::string Sentence(const TimeResult& result) {
  const StepTime& step = result.step;
  if (step.serial <= 0) return "nothing in this program takes time";
  std::string text = "about " + HumanSeconds(step.estimate) + " per step on " + result.device.name +
                     " (at least " + HumanSeconds(step.floor) + ", " + HumanSeconds(step.serial) +
                     " if nothing overlaps)";
  double waiting = 0;
  const TimeGroup* bound = nullptr;
  for (const TimeGroup& each : result.bounds) {
    if (each.name == "links") waiting += each.seconds;
    const bool counts = each.name != "links" && each.name != "nothing" && each.count > 0;
    if (counts && bound == nullptr) bound = &each;
  }
  if (bound != nullptr) {
    text += "; " + PercentOf(bound->seconds, step.serial) + " bound by " + bound->name;
  }
  if (waiting > 0 || step.exposed > 0) {
    text += "; collectives " + HumanSeconds(step.hidden + step.exposed) + ", " +
            HumanSeconds(step.exposed) + " exposed (" + PercentOf(step.exposed, step.estimate) +
            " of the step)";
  }
  if (!result.scopes.empty() && !result.scopes.front().name.empty()) {
    text += "; most in " + EndOfScope(result.scopes.front().name) + ", " +
            PercentOf(result.scopes.front().seconds, step.serial);
  }
  if (step.unknown > 0) text += "; " + HumanSeconds(step.unknown) + " in calls of unknown cost";
  return text;
}

// A program on a device that is chosen already. First come the facts, then what the request asks to
// try, which leaves them as they are.
class TimeAnalysis {
 public:
  TimeAnalysis(const TimeRequest& request, const AutotuneTable& autotune, ModuleCost& cost,
               TimeResult& result)
      : request_(request),
        result_(result),
        module_(*result.inputs.module),
        cost_(cost),
        backend_(result.device.backend ? result.device.backend : result.backend),
        predictor_(
            module_, cost,
            {.backend = backend_,
             .rates = result.device.rates,
             .autotune = IsAutotunedDevice(autotune, module_, result.device) ? &autotune : nullptr,
             .curves = result.device.curves.get()}),
        kernels_(module_),
        options_{.backend = backend_, .per_node = per_node(), .gap = ConstantsOf(backend_).gap} {}

  void Run() {
    PredictInstructions();
    PredictStep();
    ListOps();
    Summarize(result_);
    const bool asks_for_scale = request_.copies > 0 || request_.nodes > 0;
    if (asks_for_scale && !TryScale()) return;
    if (!request_.profiles.empty() || !request_.open_profiles.empty()) {
      result_.measured = CompareWithProfiles(request_, result_);
      if (!result_.measured) return;
    }
    if (request_.advise) {
      result_.advice = AdviseOnTime({module_, cost_, predictor_, times_, options_}, result_);
    }
    result_.verdict = Sentence(result_);
    result_.succeeded = true;
  }

 private:
  [[nodiscard]] int64_t per_node() const {
    return static_cast<int64_t>(result_.device.rates.node.value);
  }

  // Calls visit(computation, instruction) for everything that is run, callees first.
  template <class Visit>
  void ForEachInst(const Visit& visit) {
    for (const CompId comp : cost_.order()) {
      const Computation& body = module_.comp(comp);
      for (uint32_t i = body.first; i < body.first + body.count; ++i) visit(comp, InstId(i));
    }
  }

  void PredictInstructions() {
    times_.resize(module_.insts.size());
    ForEachInst([&](CompId, InstId inst) {
      OpTime& time = times_[inst.index()];
      time = predictor_.Of(inst);
      if (time.source == TimeSource::kAutotune) ++result_.autotuned;
      if (request_.calibration) request_.calibration->Apply(kernels_.Of(inst).kind, time);
    });
  }

  void PredictStep() {
    result_.timeline = MakeTimeline(module_, cost_, times_, options_);
    result_.step = result_.timeline.step;
    if (request_.calibration) request_.calibration->Apply(result_.step);
    result_.cost = cost_.total(module_.entry);
    result_.cost_once = cost_.once(module_.entry);
    result_.trips_known = cost_.trips_known();
  }

  void ListOps() {
    const std::vector<RunCount> runs = CountRuns(module_);
    ForEachInst([&](CompId comp, InstId inst) {
      const OpTime& time = times_[inst.index()];
      if (time.seconds <= 0) return;
      TimedOp op = MakeOp(module_, inst, cost_, kernels_);
      op.runs = static_cast<double>(runs[comp.index()].runs);
      op.time = time;
      op.exposed = op.runs > 0 ? result_.timeline.exposed[inst.index()] / op.runs : 0;
      op.critical = result_.timeline.critical[inst.index()];
      result_.ops.push_back(std::move(op));
    });
  }

  // False, with the reason among the diagnostics, if the program does not run at that scale.
  bool TryScale() {
    const int64_t copies = std::max<int64_t>(request_.copies, 1);
    const int64_t weights =
        copies > 1 ? PlanTimeMemory(module_, result_.backend).updated_weights : 0;
    result_.scale = TimeAtScale(
        module_, cost_, times_,
        {.backend = backend_,
         .rates = result_.device.rates,
         .layout = {.program = ProgramDevices(module_), .copies = copies, .per_node = per_node()},
         .gradient_bytes = static_cast<double>(weights)});
    if (result_.scale->problem.empty()) return true;
    RefuseTime("no time at this scale: " + result_.scale->problem, result_);
    return false;
  }

  const TimeRequest& request_;
  TimeResult& result_;
  const Module& module_;
  ModuleCost& cost_;
  std::optional<Backend> backend_;
  Predictor predictor_;
  Kernels kernels_;
  TimelineOptions options_;
  std::vector<OpTime> times_;  // by instruction
};

}  // namespace

std::string HumanSeconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  char text[40];
  if (seconds >= 1e7) {
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
  }
  for (const Unit unit : {Unit{1, "s"}, Unit{1e-3, "ms"}, Unit{1e-6, "us"}}) {
    if (seconds < unit.size * 0.9995 && unit.size != 1e-6) continue;
    const double value = seconds / unit.size;
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit.name);
    return text;
  }
  return {};
}

TimeResult AnalyzeTime(const TimeRequest& request, TimeInputs inputs) {
  TimeResult result;
  result.inputs = std::move(inputs);
  if (!result.inputs.ok() || result.inputs.module == nullptr) return result;
  const Module& module = *result.inputs.module;
  result.program = module.text(module.name);
  result.is_scheduled = module.is_scheduled();
  ChooseBackend(request, module, result);
  const AutotuneTable autotune(result.inputs.autotune ? result.inputs.autotune->text : "");
  if (!ChooseDevice(request, module, autotune, result)) return result;
  ChangeFabric(request, module, result.device.rates);
  ModuleCost cost(module, result.backend);
  if (!cost.problem().empty()) {
    RefuseTime("no cost can be computed: " + std::string(cost.problem()), result);
    return result;
  }
  TimeAnalysis(request, autotune, cost, result).Run();
  return result;
}

std::vector<const TimedOp*> ExposedOps(const TimeResult& result) {
  std::vector<const TimedOp*> exposed;
  for (const TimedOp& op : result.ops) {
    if (op.exposed > 0) exposed.push_back(&op);
  }
  std::sort(exposed.begin(), exposed.end(), [](const TimedOp* a, const TimedOp* b) {
    const double left = a->exposed * a->runs, right = b->exposed * b->runs;
    return left != right ? left > right : a->name < b->name;
  });
  return exposed;
}

TimeResult AnalyzeTime(const TimeRequest& request) {
  return AnalyzeTime(request, OpenTimeInputs(request.files, request.open));
}

}  // namespace halo

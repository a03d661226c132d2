// Kernels are known by the value they compute. What the sum of the kernels does not explain is
// waiting, which is compared as a whole.
#include "halo/api/diff/step_change.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "halo/api/diff/cause_times.h"
#include "halo/api/time/time.h"
#include "halo/diff/peak/stored_values.h"

namespace halo {
namespace {

constexpr size_t kMostTimed = 200'000;  // instructions of a program

// Kernels that compute one value.
struct ValueKernels {
  double seconds = 0;
  int64_t count = 0;
  std::string name;  // of the longest
  KernelKind kind = KernelKind::kNone;
  double longest = 0;
};
// By class, numbered as in the first program, and whether it is a copy. A kernel without a value
// has a separate key.
using KernelsByValue = std::map<std::pair<uint64_t, bool>, ValueKernels>;

TimeResult TimeOf(const Document& document, const std::string& device) {
  TimeInputs inputs;
  inputs.module = &document.modules.front().module;
  inputs.module_path = document.path;
  FindTimeTexts(inputs);
  TimeRequest request;
  request.device = device;
  request.advise = false;
  return AnalyzeTime(request, std::move(inputs));
}

KernelsByValue KernelsOf(const MatchedPrograms& programs, bool is_after, const TimeResult& time) {
  const Module& module = is_after ? programs.b : programs.a;
  const ClassGraph& classes = is_after ? programs.classes_b : programs.classes_a;
  ValueResolver resolver(module, is_after ? programs.graph_b : programs.graph_a);
  KernelsByValue all;
  for (const TimedOp& op : time.ops) {
    if (!IsTimedKernel(module, op) || op.total() == 0) continue;
    const ResolvedValue value = resolver.Resolve(op.inst, 0);
    uint64_t key = 0;
    if (value.node == kUnmatched) {
      key = (uint64_t{2} + (is_after ? 1 : 0)) << 60 | op.inst.index();
    } else {
      const uint32_t own = classes.class_of(value.node);
      const uint32_t other = is_after ? programs.match.to_a[own] : own;
      key = other == kUnmatched ? uint64_t{1} << 60 | own : other;
    }
    ValueKernels& kernels = all[{key, value.is_copy}];
    kernels.seconds += op.total();
    ++kernels.count;
    if (op.total() <= kernels.longest) continue;
    kernels.longest = op.total();
    kernels.name = op.name;
    kernels.kind = op.kind;
  }
  return all;
}

class Gatherer {
 public:
  explicit Gatherer(StepChange& change) : change_(change) {}

  void Add(const ValueKernels* before, const ValueKernels* after) {
    StepPlace place;
    place.before = before != nullptr ? before->name : "";
    place.after = after != nullptr ? after->name : "";
    place.seconds =
        (after != nullptr ? after->seconds : 0) - (before != nullptr ? before->seconds : 0);
    if (place.seconds == 0) return;
    const ValueKernels& shown = after != nullptr ? *after : *before;
    std::string what = std::string(KernelKindText(shown.kind)) + " kernels ";
    if (before == nullptr) {
      change_.only_after += place.seconds;
      what += "that only B has";
    } else if (after == nullptr) {
      change_.only_before += place.seconds;
      what += "that only A has";
    } else {
      change_.changed += place.seconds;
      what += place.seconds > 0 ? "that take longer for the same values"
                                : "that take less for the same values";
      if (before->count != after->count) what += ", in another number of kernels";
    }
    StepCause& cause = causes_[what];
    cause.what = what;
    ++cause.count;
    cause.seconds += place.seconds;
    cause.places.push_back(std::move(place));
  }

  void Finish() {
    const auto larger = [](const StepPlace& x, const StepPlace& y) {
      const double a = std::abs(x.seconds), b = std::abs(y.seconds);
      return a != b ? a > b : std::tie(x.before, x.after) < std::tie(y.before, y.after);
    };
    for (auto& [what, cause] : causes_) {
      std::sort(cause.places.begin(), cause.places.end(), larger);
      change_.causes.push_back(std::move(cause));
    }
    std::sort(change_.causes.begin(), change_.causes.end(),
              [](const StepCause& x, const StepCause& y) {
                const double a = std::abs(x.seconds), b = std::abs(y.seconds);
                return a != b ? a > b : x.what < y.what;
              });
  }

 private:
  StepChange& change_;
  std::map<std::string, StepCause> causes_;
};

}  // namespace

std::shared_ptr<const StepChange> StepOfDocuments(const Document& before, const Document& after,
                                                  const MatchedPrograms& programs,
                                                  const std::string& device,
                                                  std::vector<DiffCause>& causes) {
  for (const Module* module : {&programs.a, &programs.b}) {
    if (!module->is_scheduled() || module->insts.size() > kMostTimed) return nullptr;
  }
  const TimeResult a = TimeOf(before, device);
  if (!a.succeeded) return nullptr;
  const TimeResult b = TimeOf(after, device);
  if (!b.succeeded || b.device.name != a.device.name) return nullptr;
  TimeCauses(programs.a, a, programs.b, b, causes);
  auto change = std::make_shared<StepChange>();
  change->before = a.step.estimate;
  change->after = b.step.estimate;
  change->device = a.device.name;
  const KernelsByValue kernels_a = KernelsOf(programs, false, a);
  const KernelsByValue kernels_b = KernelsOf(programs, true, b);
  Gatherer gatherer(*change);
  for (const auto& [key, kernels] : kernels_a) {
    const auto found = kernels_b.find(key);
    gatherer.Add(&kernels, found == kernels_b.end() ? nullptr : &found->second);
  }
  for (const auto& [key, kernels] : kernels_b) {
    if (!kernels_a.contains(key)) gatherer.Add(nullptr, &kernels);
  }
  gatherer.Finish();
  change->gaps = b.step.gaps - a.step.gaps;
  change->exposed = b.step.exposed - a.step.exposed;
  change->stalled = b.step.stalled - a.step.stalled;
  // Sums of another order differ in their last digits; more than that is time outside of kernels.
  const double rest = change->seconds() - change->only_after - change->only_before -
                      change->changed - change->gaps - change->exposed - change->stalled;
  (std::abs(rest) < 1e-9 ? change->changed : change->stalled) += rest;
  return change;
}

}  // namespace halo

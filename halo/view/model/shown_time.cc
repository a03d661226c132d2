// Positions of instructions in the lists of a result.
#include "halo/view/model/shown_time.h"

#include <utility>

namespace halo::view {
namespace {

constexpr uint32_t kNotListed = UINT32_MAX;

}  // namespace

ShownTime::ShownTime(TimeResult result, std::string profile_problem)
    : result_(std::move(result)),
      profile_problem_(std::move(profile_problem)),
      ops_(module().insts.size(), kNotListed),
      measured_(module().insts.size(), kNotListed) {
  for (uint32_t i = 0; i < result_.ops.size(); ++i) ops_[result_.ops[i].inst.index()] = i;
  if (!result_.measured) return;
  const std::vector<ComparedOp>& compared = result_.measured->ops;
  for (uint32_t i = 0; i < compared.size(); ++i) {
    measured_[result_.ops[compared[i].op].inst.index()] = i;
  }
}

const TimedOp* ShownTime::op(InstId inst) const {
  if (!inst.valid() || ops_[inst.index()] == kNotListed) return nullptr;
  return &result_.ops[ops_[inst.index()]];
}

const ComparedOp* ShownTime::measured(InstId inst) const {
  if (!inst.valid() || measured_[inst.index()] == kNotListed) return nullptr;
  return &result_.measured->ops[measured_[inst.index()]];
}

const TimelineIndex& ShownTime::timeline(const ShownAssignment* plan) {
  if (timeline_) return *timeline_;
  std::vector<int64_t> bytes;
  if (plan != nullptr && plan->module == &module() && module().is_scheduled() &&
      plan->result.explanation.has_times) {
    const MemoryExplanation& all = plan->result.explanation;
    bytes.assign(module().insts.size(), -1);
    for (uint32_t i = 0; i < bytes.size(); ++i) {
      const int64_t time = plan->bound.time(InstId(i));
      if (time < 0 || static_cast<size_t>(time) >= all.profile.size()) continue;
      bytes[i] = all.held_bytes + all.profile[static_cast<size_t>(time)];
    }
  }
  timeline_ = std::make_unique<TimelineIndex>(module(), result_.timeline, std::move(bytes));
  return *timeline_;
}

std::string WhyNoTime(const TimeResult& result) {
  const auto first = [](const Diagnostics& list) -> const Diagnostic* {
    for (const Diagnostic& each : list.all()) {
      if (each.severity == Severity::kError) return &each;
    }
    return nullptr;
  };
  if (const Diagnostic* each = first(result.diagnostics)) return each->message;
  for (const ProfileSummary& profile : result.profiles) {
    if (const Diagnostic* each = first(profile.diagnostics)) return each->message;
  }
  if (const Diagnostic* each = first(result.inputs.diagnostics)) return each->message;
  for (const Document& document : result.inputs.documents) {
    if (const Diagnostic* each = first(document.diagnostics)) return each->message;
  }
  return "the time cannot be predicted";
}

}  // namespace halo::view

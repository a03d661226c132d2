// Sends events between ranks as lines of text: numbers, kind, name.
#include "halo/engine/timeline_watch.h"

#include <chrono>
#include <sstream>

namespace halo {
namespace {

constexpr size_t kMostEvents = 200'000;

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void TimelineWatch::Restart() {
  events_.clear();
  origin_ = Now();
}

void TimelineWatch::OnBegin(const Step& step, std::span<void* const> /*buffers*/) {
  if (step.blocks.empty()) begin_ = Now();
}

std::optional<Diagnostic> TimelineWatch::OnEnd(const Step& step,
                                               std::span<void* const> /*buffers*/) {
  if (!step.blocks.empty() || events_.size() >= kMostEvents) return std::nullopt;
  TimelineEvent& event = events_.emplace_back();
  event.name = module_.name_of(module_.inst(step.inst));
  event.kind = TextOf(step.kind);
  event.begin = begin_ - origin_;
  event.end = Now() - origin_;
  event.communicates = step.kind == Step::Kind::kCollective || step.kind == Step::Kind::kAwait;
  if (step.kind == Step::Kind::kCollective) {
    event.starts = under_way_[step.collective] = ++collectives_;
  }
  if (step.kind == Step::Kind::kAwait) event.awaits = under_way_[step.collective];
  return std::nullopt;
}

std::string PackEvents(const std::vector<TimelineEvent>& events) {
  std::string text;
  for (const TimelineEvent& each : events) {
    text += std::to_string(each.begin) + " " + std::to_string(each.end) + " " +
            std::to_string(each.starts) + " " + std::to_string(each.awaits) + " " +
            (each.communicates ? "1 " : "0 ") + each.kind + " " + each.name + "\n";
  }
  return text;
}

std::vector<TimelineEvent> UnpackEvents(std::string_view text) {
  std::vector<TimelineEvent> events;
  std::istringstream lines{std::string(text)};
  TimelineEvent each;
  while (lines >> each.begin >> each.end >> each.starts >> each.awaits >> each.communicates >>
         each.kind >> each.name) {
    events.push_back(each);
  }
  return events;
}

}  // namespace halo

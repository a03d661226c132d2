// The program of an op is named by one of the ranges around it. Rows come in any order, so these
// are found when all are known.
#include "halo/profile/nsight_table.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace halo {
namespace {

constexpr int64_t kPicosecondsPerNanosecond = 1000;
// Characters of a name, and of the end of a stack. Rows may share a text, so that long ones would
// take quadratic time.
constexpr size_t kMostLookedAt = 4096;

int64_t FromNanoseconds(int64_t value) {
  constexpr int64_t kMost = kMaxPicoseconds / kPicosecondsPerNanosecond;
  return std::clamp(value, -kMost, kMost) * kPicosecondsPerNanosecond;
}

// The value of `key` in "TSL:Thunk:#name=x,hlo_op=fusion.3#"; values may contain commas, names of
// ops and modules do not.
std::string_view AnnotationOf(std::string_view name, std::string_view key) {
  for (size_t at = name.find(key); at != std::string_view::npos; at = name.find(key, at + 1)) {
    if (at == 0 || (name[at - 1] != '#' && name[at - 1] != ',')) continue;
    const std::string_view rest = name.substr(at + key.size());
    return rest.substr(0, std::min(rest.find_first_of(",#"), rest.size()));
  }
  return {};
}

// "TSL:Thunk:" of the name above.
std::string_view KindOf(std::string_view name) {
  return name.substr(0, std::min(name.find('#'), name.size()));
}

std::optional<int64_t> NumberOf(std::string_view digits) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return {};
  return value;
}

}  // namespace

bool NsightTable::IsRun(std::string_view name) {
  return KindOf(name.substr(0, kMostLookedAt)).ends_with("XlaModule:");
}

void NsightTable::Add(const NsightRow& row) {
  if (row.kernels <= 0) return;
  const std::string_view name = row.name.substr(0, kMostLookedAt);
  const std::string_view op = AnnotationOf(name, "hlo_op=");
  const std::string_view module = AnnotationOf(name, "hlo_module=");
  if (op.empty() && module.empty()) {
    if (KindOf(name).ends_with("Thunk:")) ++builder_.profile.unnamed;
    return;
  }
  const uint32_t device = builder_.Device("process " + std::to_string(row.process) + ", thread " +
                                          std::to_string(row.thread));
  const int64_t start = FromNanoseconds(row.start);
  const int64_t duration = std::max<int64_t>(0, FromNanoseconds(row.duration));
  if (op.empty()) {
    if (!IsRun(name)) return;
    const std::optional<int64_t> id = NumberOf(AnnotationOf(name, "program_id="));
    runs_.emplace(row.range, static_cast<uint32_t>(builder_.profile.runs.size()));
    builder_.profile.runs.push_back(
        {builder_.Program(module, id ? std::optional(static_cast<uint64_t>(*id)) : std::nullopt),
         device, start, duration});
    return;
  }
  ProfileEvent event;
  event.op = builder_.Op(op);
  event.device = device;
  event.start = start;
  event.duration = duration;
  builder_.profile.events.push_back(event);
  const size_t hidden = row.range_stack.size() - std::min(row.range_stack.size(), kMostLookedAt);
  stacks_.push_back(row.range_stack.substr(hidden));
}

Profile NsightTable::Take() {
  for (size_t i = 0; i < stacks_.size(); ++i) {
    std::string_view stack = stacks_[i];
    while (!stack.empty()) {
      const size_t colon = stack.rfind(':');
      const std::string_view last = stack.substr(colon == std::string_view::npos ? 0 : colon + 1);
      stack = stack.substr(0, colon == std::string_view::npos ? 0 : colon);
      const std::optional<int64_t> range = NumberOf(last);
      const auto found = range ? runs_.find(*range) : runs_.end();
      if (found == runs_.end()) continue;
      ProfileEvent& event = builder_.profile.events[i];
      event.run = found->second;
      event.program = builder_.profile.runs[event.run].program;
      break;
    }
  }
  builder_.profile.kind = ProfileKind::kNsightTable;
  return builder_.Take();
}

}  // namespace halo

// An op that a profiler did not attribute to a program belongs to the one that was running on its
// device when it started.
#include "halo/profile/profile_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace halo {

std::string_view ProfileKindText(ProfileKind kind) {
  constexpr std::array<std::string_view, 5> kTexts = {"xspace", "chrome-trace", "nsight-table",
                                                      "nsight-database", "op-table"};
  return kTexts[static_cast<size_t>(kind)];
}

int64_t PicosecondsFrom(double seconds) {
  constexpr double kMost = static_cast<double>(kMaxPicoseconds);
  const double value = seconds * 1e12;
  if (std::isnan(value)) return 0;
  return static_cast<int64_t>(std::round(std::clamp(value, -kMost, kMost)));
}

ProfileProgram ParseProgramLabel(std::string_view label) {
  const size_t open = label.rfind('(');
  if (open == std::string_view::npos || !label.ends_with(')')) return {std::string(label), {}};
  const std::string_view digits = label.substr(open + 1, label.size() - open - 2);
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) {
    return {std::string(label), {}};
  }
  return {std::string(label.substr(0, open)), id};
}

uint32_t ProfileBuilder::Op(std::string_view name) {
  const auto [found, is_new] =
      ops_.try_emplace(std::string(name), static_cast<uint32_t>(profile.ops.size()));
  if (is_new) profile.ops.emplace_back(name);
  return found->second;
}

uint32_t ProfileBuilder::Program(std::string_view name, std::optional<uint64_t> id) {
  const auto [found, is_new] = programs_.try_emplace(
      {std::string(name), id}, static_cast<uint32_t>(profile.programs.size()));
  if (is_new) profile.programs.push_back({std::string(name), id});
  return found->second;
}

uint32_t ProfileBuilder::ProgramFromLabel(std::string_view label) {
  const ProfileProgram program = ParseProgramLabel(label);
  return Program(program.name, program.id);
}

uint32_t ProfileBuilder::Device(std::string_view name) {
  const auto [found, is_new] =
      devices_.try_emplace(std::string(name), static_cast<uint32_t>(profile.devices.size()));
  if (is_new) profile.devices.emplace_back(name);
  return found->second;
}

Profile ProfileBuilder::Take() {
  std::vector<std::vector<uint32_t>> runs(profile.devices.size());
  for (uint32_t i = 0; i < profile.runs.size(); ++i) runs[profile.runs[i].device].push_back(i);
  for (std::vector<uint32_t>& each : runs) {
    std::sort(each.begin(), each.end(), [&](uint32_t a, uint32_t b) {
      return profile.runs[a].start < profile.runs[b].start;
    });
  }
  for (ProfileEvent& event : profile.events) {
    if (event.run != kNoIndex) continue;
    const std::vector<uint32_t>& list = runs[event.device];
    const auto after = std::upper_bound(
        list.begin(), list.end(), event.start,
        [&](int64_t start, uint32_t run) { return start < profile.runs[run].start; });
    if (after == list.begin()) continue;
    const ProfileRun& run = profile.runs[*(after - 1)];
    if (event.start >= run.start + run.duration) continue;
    if (event.program != kNoIndex && event.program != run.program) continue;
    event.program = run.program;
    event.run = *(after - 1);
  }
  return std::move(profile);
}

}  // namespace halo

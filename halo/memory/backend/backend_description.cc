// Looks up descriptions and their memory spaces, and holds the facts that all backends share.
#include "halo/memory/backend/backend_description.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "halo/base/capped.h"
#include "halo/memory/backend/memory_spaces.h"

namespace halo {
namespace {

constexpr std::array kBackends = {&kCpuBackend, &kGpuBackend, &kTpuBackend};

}  // namespace

const SpaceDescription& BackendDescription::space(int64_t number) const {
  for (const SpaceDescription& each : spaces) {
    if (each.number == number) return each;
  }
  return other_spaces;
}

std::string BackendDescription::SpaceName(int32_t number) const {
  const SpaceDescription& found = space(number);
  std::string full(found.name);
  if (&found == &other_spaces) full += std::to_string(number);
  return full;
}

bool BackendDescription::has_presets() const {
  return std::any_of(spaces.begin(), spaces.end(),
                     [](const SpaceDescription& each) { return each.is_preset; });
}

std::span<const BackendDescription* const> BackendDescriptions() { return kBackends; }

const BackendDescription& DescriptionOf(Backend backend) {
  return *kBackends[static_cast<size_t>(backend)];
}

const BackendDescription& DescriptionOf(std::optional<Backend> backend) {
  return DescriptionOf(backend.value_or(Backend::kCpu));
}

std::string_view BackendName(Backend backend) { return DescriptionOf(backend).name; }

std::optional<Backend> BackendFromName(std::string_view name) {
  for (const BackendDescription* each : kBackends) {
    if (each->name == name) return each->backend;
  }
  return std::nullopt;
}

std::string_view BackendText(std::optional<Backend> backend) {
  return backend ? BackendName(*backend) : "unknown";
}

bool IsDeviceMemory(std::optional<Backend> backend, int32_t color) {
  return DescriptionOf(backend).space(color).is_device;
}

int64_t DeviceBytes(const Assignment& assignment, std::optional<Backend> backend) {
  int64_t bytes = 0;
  for (const Allocation& each : assignment.allocations) {
    if (IsDeviceMemory(backend, each.color)) bytes = AddCapped(bytes, each.size);
  }
  return bytes;
}

void RefineAlignment(const Assignment& assignment, BackendRules& rules) {
  int64_t common = 0;
  for (const Allocation& allocation : assignment.allocations) {
    if (!allocation.is_preallocated_temp || allocation.color != kMainSpace) continue;
    for (const ValueId id : assignment.values_of(allocation)) {
      common = std::gcd(common, assignment.value(id).offset);
    }
  }
  if (common > 0 && common % rules.alignment != 0) {
    rules.alignment = std::gcd(common, rules.alignment);
  }
}

bool PrintsPages(const Assignment& assignment) {
  return std::any_of(assignment.allocations.begin(), assignment.allocations.end(),
                     [](const Allocation& each) { return each.page >= 0; });
}

void ShareThroughAnyPositionIfPages(const Assignment& assignment, BackendRules& rules) {
  if (PrintsPages(assignment)) rules.shares_through_any_position = true;
}

void NumberThreadLocalsIfCompact(const Module& module, BackendRules& rules) {
  if (module.style.compact_gte) rules.numbers_thread_locals_by_id = true;
}

void NumberThreadLocalsIfPages(const Assignment& assignment, BackendRules& rules) {
  if (PrintsPages(assignment)) rules.numbers_thread_locals_by_id = true;
}

}  // namespace halo

// The table of devices.
#include "halo/memory/backend/device.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace halo {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

constexpr std::array kDevices = {
#define HALO_DEVICE(name, backend, capacity, alignment, rounding, title) \
  MemoryDevice{name, Backend::backend, capacity, alignment, rounding, title},
#include "halo/memory/backend/devices.def"
};

}  // namespace

std::span<const MemoryDevice> MemoryDevices() { return kDevices; }

const MemoryDevice* FindMemoryDevice(std::string_view name) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  for (const MemoryDevice& device : kDevices) {
    if (std::equal(name.begin(), name.end(), device.name.begin(), device.name.end(),
                   [&](char given, char known) { return lower(given) == known; })) {
      return &device;
    }
  }
  return nullptr;
}

std::vector<const MemoryDevice*> DevicesOf(std::optional<Backend> backend) {
  std::vector<const MemoryDevice*> devices;
  for (const MemoryDevice& device : kDevices) {
    if (!backend || device.backend == *backend) devices.push_back(&device);
  }
  std::sort(devices.begin(), devices.end(), [](const MemoryDevice* a, const MemoryDevice* b) {
    return std::tie(a->capacity, a->name) < std::tie(b->capacity, b->name);
  });
  return devices;
}

void ApplyDevice(const MemoryDevice& device, BackendRules& rules) {
  rules.alignment = device.alignment;
  rules.table_rounding = device.table_rounding;
}

}  // namespace halo

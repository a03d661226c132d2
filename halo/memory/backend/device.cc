// The table of devices, and sizes as people write them.
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

struct Unit {
  std::string_view text;
  double bytes;
};
constexpr std::array kUnits = {Unit{"", 1},
                               Unit{"B", 1},
                               Unit{"K", 1024},
                               Unit{"KiB", 1024},
                               Unit{"KB", 1e3},
                               Unit{"M", 1048576},
                               Unit{"MiB", 1048576},
                               Unit{"MB", 1e6},
                               Unit{"G", kGiB * 1.},
                               Unit{"GiB", kGiB * 1.},
                               Unit{"GB", 1e9},
                               Unit{"T", kGiB * 1024.},
                               Unit{"TiB", kGiB * 1024.},
                               Unit{"TB", 1e12}};

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

std::optional<int64_t> BytesFromText(std::string_view text) {
  double number = 0, scale = 1;
  size_t at = 0;
  bool has_point = false;
  for (; at < text.size() && at < 24; ++at) {
    const char c = text[at];
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (c >= '0' && c <= '9') {
      number = number * 10 + (c - '0');
      if (has_point) scale *= 10;
    } else {
      break;
    }
  }
  if (at == 0) return std::nullopt;
  for (const Unit& unit : kUnits) {
    if (unit.text != text.substr(at)) continue;
    const double bytes = number / scale * unit.bytes;
    if (bytes > 9e18) return std::nullopt;
    return static_cast<int64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace halo

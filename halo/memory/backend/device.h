// What memory planning needs to know about a device: how much memory it has and how it is aligned.
#ifndef HALO_MEMORY_BACKEND_DEVICE_H_
#define HALO_MEMORY_BACKEND_DEVICE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "halo/memory/backend/backend_rules.h"

namespace halo {

struct MemoryDevice {
  std::string_view name;
  Backend backend;
  int64_t capacity;
  int64_t alignment;
  int64_t table_rounding;
};

std::span<const MemoryDevice> MemoryDevices();
const MemoryDevice* FindMemoryDevice(std::string_view name);
void ApplyDevice(const MemoryDevice& device, BackendRules& rules);

// "80GiB", "80GB", "1.5G", "4096" as bytes; G alone means GiB. nullopt if it is not a size.
std::optional<int64_t> BytesFromText(std::string_view text);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_DEVICE_H_

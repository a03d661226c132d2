// What memory planning needs to know about a device: how much memory it has and how it is aligned.
#ifndef HALO_MEMORY_BACKEND_DEVICE_H_
#define HALO_MEMORY_BACKEND_DEVICE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "halo/memory/backend/backend_rules.h"

namespace halo {

struct MemoryDevice {
  std::string_view name;
  Backend backend;
  int64_t capacity;
  int64_t alignment;
  int64_t table_rounding;
  std::string_view title;  // "NVIDIA H100 80GB"
};

std::span<const MemoryDevice> MemoryDevices();
// Upper and lower case do not matter; nullptr if no device has this name.
const MemoryDevice* FindMemoryDevice(std::string_view name);
// The devices of a backend, or all if it is not known; smallest memory first.
std::vector<const MemoryDevice*> DevicesOf(std::optional<Backend> backend);
void ApplyDevice(const MemoryDevice& device, BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_DEVICE_H_

// The result of `halo memory` in one sentence, and the figures in it: how much memory, how much of
// it is temporary, where the peak is, what to change first, and which devices are large enough.
#ifndef HALO_API_MEMORY_VERDICT_H_
#define HALO_API_MEMORY_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/memory/advise/advise.h"
#include "haloscope/memory.h"

namespace halo {

struct MemoryResult;

using DeviceFit = v0::DeviceFit;

struct MemoryVerdict {
  std::string text;
  int64_t total_bytes = 0;      // in the device's main memory
  int64_t temporary_bytes = 0;  // of these
  int64_t temporary_percent = 0;
  // Of the peak; -1 without live ranges.
  int64_t position = -1, last_position = -1;
  int64_t peak_bytes = 0;
  std::string instruction, scope, phase, source;
  std::optional<Advice> best_change;
  std::string device;               // as requested
  std::optional<int64_t> capacity;  // of it, or as requested
  // Known devices of the program's backend, smallest memory first.
  std::vector<DeviceFit> devices;

  [[nodiscard]] bool fits() const { return !capacity || total_bytes <= *capacity; }
};

// Needs everything else of the result.
MemoryVerdict MakeVerdict(const MemoryResult& result, const std::string& device);

}  // namespace halo

#endif  // HALO_API_MEMORY_VERDICT_H_

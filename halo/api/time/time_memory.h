// What `halo time` needs to know about memory: bytes in use while each instruction runs, and the
// weights that a step updates.
#ifndef HALO_API_TIME_TIME_MEMORY_H_
#define HALO_API_TIME_TIME_MEMORY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"

namespace halo {

struct TimeMemory {
  std::vector<int64_t> bytes;   // by instruction, in main memory; -1: unknown
  int64_t updated_weights = 0;  // bytes of donated parameters that are weights by their names
};

// Plans the memory of a scheduled module; everything is unknown if that fails.
TimeMemory PlanTimeMemory(const Module& module, std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_MEMORY_H_

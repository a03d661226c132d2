// Which memory a layout's memory space is: the device's main memory, memory on the chip, or the
// host's. Decided by the backend, because space 1 is VMEM on a TPU and main memory on a GPU.
#ifndef HALO_COST_COUNT_MEMORY_LEVELS_H_
#define HALO_COST_COUNT_MEMORY_LEVELS_H_

#include <cstdint>
#include <optional>

#include "halo/cost/count/cost.h"
#include "halo/ir/types/shape.h"
#include "halo/memory/backend/backend.h"

namespace halo {

class MemoryLevels {
 public:
  explicit MemoryLevels(std::optional<Backend> backend) : backend_(backend) {}

  void AddRead(const ShapeTable& shapes, ShapeId array, double bytes, Traffic& traffic) const;
  void AddWrite(const ShapeTable& shapes, ShapeId array, double bytes, Traffic& traffic) const;

 private:
  enum class Level : uint8_t { kMain, kNear, kHost };
  [[nodiscard]] Level LevelOf(const ShapeTable& shapes, ShapeId array) const;

  std::optional<Backend> backend_;
};

}  // namespace halo

#endif  // HALO_COST_COUNT_MEMORY_LEVELS_H_

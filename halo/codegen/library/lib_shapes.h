// The memory layout of an instruction's arrays, as strides.
#ifndef HALO_CODEGEN_LIBRARY_LIB_SHAPES_H_
#define HALO_CODEGEN_LIBRARY_LIB_SHAPES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"

namespace halo {

// An array in memory; strides are in elements.
struct Placed {
  ElementType type = ElementType::kPred;
  Dims dims, strides;

  [[nodiscard]] int64_t count() const { return ElementsIn(dims); }
  [[nodiscard]] int64_t bytes() const { return count() * static_cast<int64_t>(StoredBytes(type)); }
};

Placed RowMajor(ElementType type, Dims dims);
// Returns nullopt if it is not an array or its dimensions are not known before it runs.
std::optional<Placed> StoredFormOf(const ShapeTable& shapes, ShapeId shape);
// All operands, or all parts of the result, if each is such an array.
std::optional<std::vector<Placed>> PlacedOperands(const Module& module, const Inst& inst);
std::optional<std::vector<Placed>> PlacedResults(const Module& module, const Inst& inst);

// Consecutive ranges in a step's scratch memory.
class ScratchLayout {
 public:
  // Reserves `bytes` and returns their offset, aligned for any vector.
  int64_t Take(int64_t bytes) {
    const int64_t at = bytes_;
    bytes_ += (bytes + 63) / 64 * 64;
    return at;
  }
  [[nodiscard]] int64_t bytes() const { return bytes_; }

 private:
  int64_t bytes_ = 0;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_SHAPES_H_

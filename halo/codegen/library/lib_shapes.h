// The memory layout of an instruction's arrays, as strides.
#ifndef HALO_CODEGEN_LIBRARY_LIB_SHAPES_H_
#define HALO_CODEGEN_LIBRARY_LIB_SHAPES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "halo/base/capped.h"
#include "halo/eval/lanes/array.h"
#include "halo/ir/module.h"

namespace halo {

// An array in memory; strides are in elements.
struct Placed {
  ElementType type = ElementType::kPred;
  Dims dims, strides;

  [[nodiscard]] int64_t count() const { return ElementsIn(dims); }
  [[nodiscard]] int64_t bytes() const {
    return MultiplyCapped(count(), static_cast<int64_t>(StoredBytes(type)));
  }
};

Placed RowMajor(ElementType type, Dims dims);
// Returns nullopt if it is not an array or its dimensions are not known before it runs.
std::optional<Placed> StoredFormOf(const ShapeTable& shapes, ShapeId shape);

// The arrays of an instruction by number. Nothing has checked how many a custom call has: one that
// does not exist reads as an array without elements or a type, which no library takes.
class PlacedArrays {
 public:
  PlacedArrays() = default;
  explicit PlacedArrays(std::vector<Placed> arrays) : arrays_(std::move(arrays)) {}

  [[nodiscard]] size_t size() const { return arrays_.size(); }
  [[nodiscard]] bool empty() const { return arrays_.empty(); }
  [[nodiscard]] auto begin() const { return arrays_.begin(); }
  [[nodiscard]] auto end() const { return arrays_.end(); }
  [[nodiscard]] const Placed& operator[](size_t i) const {
    return i < arrays_.size() ? arrays_[i] : Missing();
  }
  [[nodiscard]] const Placed& back() const { return (*this)[arrays_.size() - 1]; }
  void Replace(size_t i, Placed array);

 private:
  static const Placed& Missing();

  std::vector<Placed> arrays_;
};

// All operands, or all parts of the result, if each is an array that StoredFormOf returns.
std::optional<PlacedArrays> PlacedOperands(const Module& module, const Inst& inst);
std::optional<PlacedArrays> PlacedResults(const Module& module, const Inst& inst);

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

// What happens to the sums of a GEMM or a convolution before they are stored: scaling, adding
// operands, activations, and keeping or measuring intermediate values. Works on sums in f32 or f64,
// stored in the layout of the result, one chunk at a time.
#ifndef HALO_CODEGEN_LIBRARY_LIB_EPILOGUE_H_
#define HALO_CODEGEN_LIBRARY_LIB_EPILOGUE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_shapes.h"
#include "halo/eval/calls/activations.h"

namespace halo {

class Epilogue {
 public:
  // `result` as declared. Sums are f64 if the result, or anything else, is wider than f32.
  Epilogue(const Placed& result, bool wide) : result_(result), wide_(wide) {}

  // Steps, in the order in which they are applied.
  void Multiply(double factor);
  void MultiplyByOperand(size_t operand, ElementType type);  // a scalar
  void Activate(Activation activation, double slope);
  // Adds factor times an operand, which is broadcast along dimensions where its stride here is
  // zero. `strides` are its element strides for each dimension of the result.
  void Add(size_t operand, ElementType type, std::span<const int64_t> strides, double factor,
           ScratchLayout& scratch);
  void Keep(const Placed& part, size_t buffer);   // the current values, as another result
  void Measure(ElementType type, size_t buffer);  // the largest absolute value at this point

  // The type and layout in which the sums must be written before Run.
  [[nodiscard]] Placed sums() const;
  void Run(std::span<void* const> buffers, void* sums, void* result, void* scratch) const;

 private:
  enum class Kind : uint8_t { kMultiply, kMultiplyBy, kActivate, kAdd, kKeep, kMeasure };
  struct Step {
    Kind kind = Kind::kMultiply;
    double factor = 1;
    Activation activation = Activation::kNone;
    size_t buffer = 0;
    ElementType type = ElementType::kF32;
    Move move;       // kAdd: operand to the sums' layout; kKeep: sums to the part
    int64_t at = 0;  // kAdd: offset in scratch
    // kAdd of an operand that has the layout of the result and the type of the sums.
    bool in_place = false;
  };

  template <class T>
  void RunAs(std::span<void* const> buffers, T* sums, void* result, uint8_t* scratch) const;
  template <class T>
  void RunSteps(std::span<const Step> steps, std::span<void* const> buffers, const uint8_t* scratch,
                int64_t at, T* values, int64_t n, double& greatest) const;
  [[nodiscard]] ElementType sum_type() const {
    return wide_ ? ElementType::kF64 : ElementType::kF32;
  }

  Placed result_;
  bool wide_;
  std::vector<Step> steps_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_EPILOGUE_H_

// What kernels that rearrange f32 matrices share: memory of the thread, and transposed squares.
// When to rearrange is decided by each kernel.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_PACKING_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_PACKING_H_

#include <cstdint>

#include "halo/codegen/library/lib_vectors.h"
#include "halo/runtime/cpu_level.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {

// At least so many floats for this thread, kept for its next GEMM: fresh memory costs page faults.
float* PackingMemory(int64_t floats);

inline constexpr int64_t kSquare = 8;  // of elements transposed at a time

// to[p * to_row + j] = from[j * from_row + p], both squares.
HALO_INLINE void TransposeSquare(const float* from, int64_t from_row, float* to, int64_t to_row) {
  using Vectors = LevelVectors<float, CpuLevel::kAvx2>;
  static_assert(Vectors::kCount == kSquare);
  Vectors::Vector v[kSquare];
  for (int64_t i = 0; i < kSquare; ++i) v[i] = Vectors::Load(from + i * from_row);
  TransposeVectors<Vectors>(v);
  for (int64_t i = 0; i < kSquare; ++i) Vectors::Store(v[i], to + i * to_row);
}

}  // namespace halo

#pragma clang diagnostic pop

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_PACKING_H_

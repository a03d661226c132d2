// The innermost loop of a GEMM in f32: a few rows times a panel of columns, summed in registers.
// How many rows and columns depends on the registers of each CPU level. Packing and the loops
// around it are decided elsewhere.
#ifndef HALO_CODEGEN_LIBRARY_PRODUCTS_PANEL_KERNEL_H_
#define HALO_CODEGEN_LIBRARY_PRODUCTS_PANEL_KERNEL_H_

#include <cstdint>
#include <cstring>

#include "halo/runtime/cpu_level.h"

namespace halo::panels {

inline constexpr int64_t kPanelDepth = 256;  // most products summed at a time
inline constexpr int64_t kMostRows = 12;

// How the rows of a are stored: element p of row i at i * kPanelDepth + p, or at p * kMostRows + i.
enum class RowOrder : uint8_t { kRowAfterRow, kSideBySide };

// Lanes of a vector; below AVX2, two registers hold one.
template <CpuLevel kLevel>
inline constexpr int64_t kLanes = kLevel == CpuLevel::kAvx512 ? 16 : 8;
// Vectors in a row of a panel.
template <CpuLevel kLevel>
inline constexpr int64_t kMostVectors = kLevel == CpuLevel::kAvx512 ? 4
                                        : kLevel == CpuLevel::kAvx2 ? 2
                                                                    : 1;

// Sums, one row of the panel and one factor fill the registers: 32 with AVX-512, otherwise 16.
template <CpuLevel kLevel>
constexpr int64_t RowsFor(int64_t vectors) {
  if (kLevel == CpuLevel::kBaseline) return 6;
  if (vectors == 1) return kMostRows;
  if (kLevel == CpuLevel::kAvx512) return vectors == 2 ? kMostRows : vectors == 3 ? 8 : 6;
  return 6;
}

template <CpuLevel kLevel>
struct FloatVector {
  using Type = float __attribute__((vector_size(kLanes<kLevel> * 4)));
};

// Cache lines of equal rows of bytes, to be prefetched one after the other.
struct Fetch {
  static constexpr int64_t kLine = 64;

  HALO_INLINE void Next() {
    if (rows == 0) return;
    __builtin_prefetch(row + at, 0, 2);  // into the second-level cache
    at += kLine;
    if (at < bytes) return;
    at = 0;
    row += step;
    --rows;
  }

  const uint8_t* row = nullptr;
  int64_t step = 0, rows = 0, bytes = 0, at = 0;
};

// c[row][column] = sum over p < depth of a[row][p] * b[p][column], added to c if `add`.
template <CpuLevel kLevel, int64_t kVectors, RowOrder kOrder>
HALO_INLINE void Multiply(const float* a, const float* b, int64_t depth, float* c, int64_t c_row,
                          bool add, Fetch& fetch) {
  using Vector = typename FloatVector<kLevel>::Type;
  constexpr int64_t kRows = RowsFor<kLevel>(kVectors);
  constexpr int64_t kWidth = kVectors * kLanes<kLevel>;
  Vector sums[kRows][kVectors];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      sums[i][j] = Vector{};
      if (add) std::memcpy(&sums[i][j], c + i * c_row + j * kLanes<kLevel>, sizeof(Vector));
    }
  }
  const auto add_products = [&](int64_t p) HALO_INLINED {
    Vector row[kVectors];
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(&row[j], b + p * kWidth + j * kLanes<kLevel>, sizeof(Vector));
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kRows; ++i) {
      const float factor =
          kOrder == RowOrder::kRowAfterRow ? a[i * kPanelDepth + p] : a[p * kMostRows + i];
#pragma clang loop unroll(full)
      for (int64_t j = 0; j < kVectors; ++j) sums[i][j] += factor * row[j];
    }
  };
  Fetch lines = fetch;
  int64_t p = 0;
  for (; p + 4 <= depth; p += 4) {
    lines.Next();
    lines.Next();
    add_products(p);
    add_products(p + 1);
    add_products(p + 2);
    add_products(p + 3);
  }
  for (; p < depth; ++p) add_products(p);
  fetch = lines;
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(c + i * c_row + j * kLanes<kLevel>, &sums[i][j], sizeof(Vector));
    }
  }
}

}  // namespace halo::panels

#endif  // HALO_CODEGEN_LIBRARY_PRODUCTS_PANEL_KERNEL_H_

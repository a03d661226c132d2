// Blocks of results that fit the registers of each CPU level. What a block reads again and again is
// copied to contiguous memory first: strides of a power of two would evict it from the nearest
// cache.
#include "halo/codegen/library/linalg/dense_kernels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>

#include "halo/codegen/library/lib_vectors.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

template <class T, CpuLevel kLevel>
constexpr int64_t kLanes = LevelVectors<T, kLevel>::kCount;

// Sums, a column of a and a factor fill the registers: 32 with AVX-512, otherwise 16.
constexpr int64_t kMostVectors = 3;
template <CpuLevel kLevel>
constexpr int64_t kTileColumns = kLevel == CpuLevel::kAvx512 ? 8 : 4;
constexpr int64_t kDepth = 256;  // of a strip of a that is copied

// So many columns of the left side by so many of the right one are multiplied at a time.
constexpr int64_t kLeftColumns = 4;
template <CpuLevel kLevel>
constexpr int64_t kRightColumns = kLevel == CpuLevel::kAvx512 ? 4 : 2;

// Solutions of so many rows are summed at a time, in so many vectors of each.
template <CpuLevel kLevel>
constexpr int64_t kSolveRows = kLevel == CpuLevel::kAvx512 ? 8 : 4;
constexpr int64_t kSolveVectors = 2;

// In multiply-adds: about 8 us of one thread.
constexpr int64_t kWorthAThread = int64_t{1} << 19;

// Memory that is not initialized; small blocks are on the stack.
template <class T>
class Block {
 public:
  explicit Block(int64_t count) {
    if (count <= kSmall) return;
    large_ = std::make_unique_for_overwrite<T[]>(static_cast<size_t>(count));
    at_ = large_.get();
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  [[nodiscard]] T* data() { return at_; }

 private:
  static constexpr int64_t kSmall = 1024;
  alignas(64) T small_[kSmall];
  std::unique_ptr<T[]> large_;
  T* at_ = small_;
};

// c -= strip * b for the rows of a strip, which has a row of kWidth elements for each of b.
template <class T, CpuLevel kLevel, int64_t kVectors>
HALO_INLINE void SubtractTile(const T* strip, int64_t k, const Strided<const T>& b, int64_t rows,
                              int64_t columns, T* c, int64_t c_column) {
  using Vector = typename LevelVectors<T, kLevel>::Vector;
  constexpr int64_t kLane = kLanes<T, kLevel>;
  constexpr int64_t kWidth = kVectors * kLane;
  constexpr int64_t kColumns = kTileColumns<kLevel>;
  const T* factors[kColumns];  // columns beyond the last repeat it
  for (int64_t j = 0; j < kColumns; ++j) factors[j] = &b(0, std::min(j, columns - 1));
  Vector sums[kColumns][kVectors] = {};
  for (int64_t p = 0; p < k; ++p) {
    Vector values[kVectors];
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < kVectors; ++v) {
      std::memcpy(&values[v], strip + p * kWidth + v * kLane, sizeof(Vector));
    }
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kColumns; ++j) {
      const T factor = factors[j][p * b.row];
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < kVectors; ++v) sums[j][v] += factor * values[v];
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    T* to = c + j * c_column;
    T column[kWidth];
    std::memcpy(column, sums[j], sizeof column);
    if (rows == kWidth) {
      for (int64_t i = 0; i < kWidth; ++i) to[i] -= column[i];
    } else {
      for (int64_t i = 0; i < rows; ++i) to[i] -= column[i];
    }
  }
}

template <class T, CpuLevel kLevel, int64_t kVectors>
HALO_INLINE void SubtractStrip(int64_t rows, int64_t n, int64_t k, const T* a, int64_t a_column,
                               const Strided<const T>& b, T* c, int64_t c_column) {
  constexpr int64_t kWidth = kVectors * kLanes<T, kLevel>;
  constexpr int64_t kColumns = kTileColumns<kLevel>;
  alignas(64) T strip[kDepth * kWidth];
  for (int64_t first = 0; first < k; first += kDepth) {
    const int64_t depth = std::min(kDepth, k - first);
    for (int64_t p = 0; p < depth; ++p) {
      T* to = strip + p * kWidth;
      const T* from = a + (first + p) * a_column;
      if (rows == kWidth) {
        std::memcpy(to, from, kWidth * sizeof(T));
        continue;
      }
      std::memcpy(to, from, static_cast<size_t>(rows) * sizeof(T));
      std::fill(to + rows, to + kWidth, T{});
    }
    for (int64_t j = 0; j < n; j += kColumns) {
      SubtractTile<T, kLevel, kVectors>(strip, depth, b.From(first, j), rows,
                                        std::min(kColumns, n - j), c + j * c_column, c_column);
    }
  }
}

// The strips `begin` to `end` - 1 of c, each of as many rows as fit into the registers.
template <class T, CpuLevel kLevel>
HALO_INLINE void SubtractStrips(int64_t begin, int64_t end, int64_t m, int64_t n, int64_t k,
                                const T* a, int64_t a_column, const Strided<const T>& b, T* c,
                                int64_t c_column) {
  constexpr int64_t kLane = kLanes<T, kLevel>;
  constexpr int64_t kMost = kMostVectors * kLane;
  for (int64_t i = begin * kMost; i < std::min(end * kMost, m); i += kMost) {
    const int64_t rows = std::min(kMost, m - i);
    if (rows > 2 * kLane) {
      SubtractStrip<T, kLevel, 3>(rows, n, k, a + i, a_column, b, c + i, c_column);
    } else if (rows > kLane) {
      SubtractStrip<T, kLevel, 2>(rows, n, k, a + i, a_column, b, c + i, c_column);
    } else {
      SubtractStrip<T, kLevel, 1>(rows, n, k, a + i, a_column, b, c + i, c_column);
    }
  }
}

// Sums of products of columns of a and b, all of k elements; those beyond the last repeat it and
// are not stored.
template <class T, CpuLevel kLevel>
HALO_INLINE void MultiplyColumnsTile(int64_t rows, int64_t columns, int64_t k, const T* a,
                                     int64_t a_column, const T* b, int64_t b_column, T* c,
                                     int64_t c_column) {
  using Vectors = LevelVectors<T, kLevel>;
  using Vector = typename Vectors::Vector;
  constexpr int64_t kLane = kLanes<T, kLevel>;
  constexpr int64_t kColumns = kRightColumns<kLevel>;
  // A vector of two lanes has room for two sums.
  constexpr int64_t kSums = std::min(kLeftColumns, kLane);
  const T* left[kLeftColumns];
  const T* right[kColumns];
  for (int64_t i = 0; i < kLeftColumns; ++i) left[i] = a + std::min(i, rows - 1) * a_column;
  for (int64_t j = 0; j < kColumns; ++j) right[j] = b + std::min(j, columns - 1) * b_column;
  Vector sums[kColumns][kLeftColumns] = {};
  int64_t p = 0;
  for (; p + kLane <= k; p += kLane) {
    Vector values[kLeftColumns];
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kLeftColumns; ++i) values[i] = Vectors::Load(left[i] + p);
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kColumns; ++j) {
      const Vector factor = Vectors::Load(right[j] + p);
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < kLeftColumns; ++i) sums[j][i] += values[i] * factor;
    }
  }
#pragma clang loop unroll(full)
  for (int64_t j = 0; j < kColumns; ++j) {
    T wholes[kLeftColumns];
    for (int64_t i = 0; i < kLeftColumns; i += kSums) {
      const Vector whole = SumsOfVectors<Vectors, kSums>(&sums[j][i]);
      for (int64_t l = 0; l < kSums; ++l) wholes[i + l] = whole[l];
    }
    for (int64_t i = 0; i < rows && j < columns; ++i) {
      for (int64_t q = p; q < k; ++q) wholes[i] += left[i][q] * right[j][q];
      c[i + j * c_column] = wholes[i];
    }
  }
}

// Solves for rows i to i + kRows - 1 of x, whose earlier rows are solved. A row has kVectors
// vectors.
template <class T, CpuLevel kLevel, int64_t kRows, int64_t kVectors>
HALO_INLINE void SolveRows(int64_t i, const Strided<const T>& l, bool unit_diagonal, T* x) {
  using Vector = typename LevelVectors<T, kLevel>::Vector;
  constexpr int64_t kLane = kLanes<T, kLevel>;
  constexpr int64_t kWidth = kVectors * kLane;
  Vector rest[kRows][kVectors];
  std::memcpy(rest, x + i * kWidth, sizeof rest);
  for (int64_t j = 0; j < i; ++j) {
    Vector known[kVectors];
    std::memcpy(known, x + j * kWidth, sizeof known);
#pragma clang loop unroll(full)
    for (int64_t r = 0; r < kRows; ++r) {
      const T factor = l(i + r, j);
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < kVectors; ++v) rest[r][v] -= factor * known[v];
    }
  }
#pragma clang loop unroll(full)
  for (int64_t r = 0; r < kRows; ++r) {
#pragma clang loop unroll(full)
    for (int64_t q = 0; q < r; ++q) {
      const T factor = l(i + r, i + q);
#pragma clang loop unroll(full)
      for (int64_t v = 0; v < kVectors; ++v) rest[r][v] -= factor * rest[q][v];
    }
    if (unit_diagonal) continue;
    const T diagonal = l(i + r, i + r);
#pragma clang loop unroll(full)
    for (int64_t v = 0; v < kVectors; ++v) rest[r][v] /= diagonal;
  }
  std::memcpy(x + i * kWidth, rest, sizeof rest);
}

// Copies the first `count` columns of n rows to or from memory with kWidth elements for each row.
// Where columns are contiguous, squares are transposed in registers.
template <bool kStore, class T, CpuLevel kLevel, int64_t kWidth>
HALO_INLINE void MoveColumns(int64_t n, int64_t count,
                             const Strided<std::conditional_t<kStore, T, const T>>& matrix,
                             T* own) {
  using Vectors = LevelVectors<T, kLevel>;
  constexpr int64_t kSide = Vectors::kCount;
  const auto move = [](auto* out, T* in, size_t elements) HALO_INLINED {
    if constexpr (kStore) {
      std::memcpy(out, in, elements * sizeof(T));
    } else {
      std::memcpy(in, out, elements * sizeof(T));
    }
  };
  if (matrix.column == 1) {
    for (int64_t i = 0; i < n; ++i) {
      if (count == kWidth) {
        move(&matrix(i, 0), own + i * kWidth, kWidth);
      } else {
        move(&matrix(i, 0), own + i * kWidth, static_cast<size_t>(count));
      }
    }
    return;
  }
  const int64_t whole = matrix.row == 1 ? n / kSide * kSide : 0;
  for (int64_t v = 0; v < count; v += kSide) {
    const int64_t columns = std::min(kSide, count - v);
    for (int64_t i = 0; i < whole && columns == kSide; i += kSide) {
      typename Vectors::Vector square[kSide];
      for (int64_t k = 0; k < kSide; ++k) {
        square[k] = Vectors::Load(kStore ? own + (i + k) * kWidth + v : &matrix(i, v + k));
      }
      TransposeVectors<Vectors>(square);
      for (int64_t k = 0; k < kSide; ++k) {
        if constexpr (kStore) {
          Vectors::Store(square[k], &matrix(i, v + k));
        } else {
          Vectors::Store(square[k], own + (i + k) * kWidth + v);
        }
      }
    }
    for (int64_t k = v; k < v + columns; ++k) {
      for (int64_t i = columns == kSide ? whole : 0; i < n; ++i) {
        move(&matrix(i, k), own + i * kWidth + k, 1);
      }
    }
  }
}

// Up to kWidth columns of x, through memory of n rows of kWidth elements.
template <class T, CpuLevel kLevel, int64_t kVectors>
HALO_INLINE void SolveColumns(int64_t n, const Strided<const T>& l, bool unit_diagonal,
                              int64_t count, const Strided<const T>& b, const Strided<T>& x,
                              T* own) {
  constexpr int64_t kWidth = kVectors * kLanes<T, kLevel>;
  constexpr int64_t kRows = kSolveRows<kLevel>;
  if (count < kWidth) std::fill_n(own, n * kWidth, T{});
  MoveColumns<false, T, kLevel, kWidth>(n, count, b, own);
  int64_t i = 0;
  for (; i + kRows <= n; i += kRows) {
    SolveRows<T, kLevel, kRows, kVectors>(i, l, unit_diagonal, own);
  }
  for (; i < n; ++i) SolveRows<T, kLevel, 1, kVectors>(i, l, unit_diagonal, own);
  MoveColumns<true, T, kLevel, kWidth>(n, count, x, own);
}

template <class T>
int64_t SolveWidth() {
  return ForCpu([](auto level)
                    HALO_INLINED { return kSolveVectors * kLanes<T, decltype(level)::value>; });
}

}  // namespace

template <class T>
void SubtractProduct(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_column,
                     const Strided<const T>& b, T* c, int64_t c_column) {
  if (m <= 0 || n <= 0 || k <= 0) return;
  const int64_t width = ForCpu(
      [](auto level) HALO_INLINED { return kMostVectors * kLanes<T, decltype(level)::value>; });
  TeamFor((m + width - 1) / width, std::max<int64_t>(1, kWorthAThread / (width * n * k)),
          [=](int64_t begin, int64_t end) {
            ForCpu([=](auto level) HALO_INLINED {
              SubtractStrips<T, decltype(level)::value>(begin, end, m, n, k, a, a_column, b, c,
                                                        c_column);
            });
          });
}

template <class T>
void MultiplyColumns(int64_t m, int64_t n, int64_t k, const T* a, int64_t a_column, const T* b,
                     int64_t b_column, T* c, int64_t c_column) {
  if (m <= 0 || n <= 0) return;
  constexpr int64_t kMost = kRightColumns<CpuLevel::kAvx512>;
  const int64_t work = kMost * m * std::max<int64_t>(k, 1);
  TeamFor((n + kMost - 1) / kMost, std::max<int64_t>(1, kWorthAThread / work),
          [=](int64_t begin, int64_t end) {
            ForCpu([=](auto level) HALO_INLINED {
              constexpr int64_t kColumns = kRightColumns<decltype(level)::value>;
              const int64_t last = std::min(end * kMost, n);
              for (int64_t j = begin * kMost; j < last; j += kColumns) {
                for (int64_t i = 0; i < m; i += kLeftColumns) {
                  MultiplyColumnsTile<T, decltype(level)::value>(
                      std::min(kLeftColumns, m - i), std::min(kColumns, last - j), k,
                      a + i * a_column, a_column, b + j * b_column, b_column, c + i + j * c_column,
                      c_column);
                }
              }
            });
          });
}

template <class T>
void SolveLower(int64_t n, const Strided<const T>& l, bool unit_diagonal, int64_t count,
                const Strided<const T>& b, const Strided<T>& x) {
  if (n <= 0 || count <= 0) return;
  const int64_t width = SolveWidth<T>();
  const int64_t work = width * n * (n + 1) / 2;
  TeamFor((count + width - 1) / width, std::max<int64_t>(1, kWorthAThread / work),
          [=](int64_t begin, int64_t end) {
            Block<T> own(n * width);
            ForCpu([=, at = own.data()](auto level) HALO_INLINED {
              constexpr CpuLevel kLevel = decltype(level)::value;
              for (int64_t first = begin * width; first < std::min(end * width, count);
                   first += width) {
                const int64_t columns = std::min(width, count - first);
                if (columns > kLanes<T, kLevel>) {
                  SolveColumns<T, kLevel, kSolveVectors>(n, l, unit_diagonal, columns,
                                                         b.From(0, first), x.From(0, first), at);
                } else {
                  SolveColumns<T, kLevel, 1>(n, l, unit_diagonal, columns, b.From(0, first),
                                             x.From(0, first), at);
                }
              }
            });
          });
}

template void SubtractProduct(int64_t, int64_t, int64_t, const float*, int64_t,
                              const Strided<const float>&, float*, int64_t);
template void SubtractProduct(int64_t, int64_t, int64_t, const double*, int64_t,
                              const Strided<const double>&, double*, int64_t);
template void MultiplyColumns(int64_t, int64_t, int64_t, const float*, int64_t, const float*,
                              int64_t, float*, int64_t);
template void MultiplyColumns(int64_t, int64_t, int64_t, const double*, int64_t, const double*,
                              int64_t, double*, int64_t);
template void SolveLower(int64_t, const Strided<const float>&, bool, int64_t,
                         const Strided<const float>&, const Strided<float>&);
template void SolveLower(int64_t, const Strided<const double>&, bool, int64_t,
                         const Strided<const double>&, const Strided<double>&);

}  // namespace halo

// GEMM of small f32 matrices that reads them in place where it can: elements of one side are
// broadcast and multiplied by vectors of the other. Which side gives the vectors depends on what
// has to be transposed then. Edges are computed by vectors and rows that overlap others. Nothing is
// compiled at the first call, as it is by oneDNN.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/library/products/packing.h"
#include "halo/codegen/library/products/panel_kernel.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

constexpr int64_t kMostVectors = 4;
constexpr int64_t kMostLanes = 16;

// Where a register block reads and writes. Distances are in elements.
struct SmallBlock {
  const float* rows = nullptr;
  int64_t row = 0, row_p = 0;  // between rows, and along the dimension that is summed
  const float* vectors = nullptr;
  int64_t vectors_p = 0;
  int64_t depth = 0;
  float* sums = nullptr;
  int64_t sums_row = 0;
  float alpha = 1;
  bool adds = false;  // to what `sums` contains
};

// sums[i][j] = alpha * sum over p of rows[i][p] * vectors[p][j].
template <CpuLevel kLevel, int64_t kVectors, int64_t kRows>
HALO_INLINE void MultiplyBlock(const SmallBlock& args) {
  using Vector = typename panels::FloatVector<kLevel>::Type;
  constexpr int64_t kLanes = panels::kLanes<kLevel>;
  Vector sums[kRows][kVectors];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) sums[i][j] = Vector{};
  }
  // Three rows share a pointer, since an address is a sum of two registers. What the pointers have
  // in common is hidden: they would be computed one from the other, each after the last.
  constexpr int64_t kShared = 3;
  constexpr int64_t kPointers = (kRows + kShared - 1) / kShared;
  const int64_t row = args.row;
  const float* factors[kPointers];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kPointers; ++i) {
    factors[i] = args.rows + i * kShared * row;
    asm("" : "+r"(factors[i]));
  }
  const float* vectors = args.vectors;
  for (int64_t p = 0; p < args.depth; ++p) {
    Vector line[kVectors];
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      std::memcpy(&line[j], vectors + j * kLanes, sizeof(Vector));
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kRows; ++i) {
      const float factor = factors[i / kShared][i % kShared * row];
#pragma clang loop unroll(full)
      for (int64_t j = 0; j < kVectors; ++j) sums[i][j] += factor * line[j];
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < kPointers; ++i) factors[i] += args.row_p;
    vectors += args.vectors_p;
  }
  float* to = args.sums;
  const int64_t to_row = args.sums_row;
  const float alpha = args.alpha;
  const bool adds = args.adds;
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
#pragma clang loop unroll(full)
    for (int64_t j = 0; j < kVectors; ++j) {
      Vector value = sums[i][j] * alpha;
      if (adds) {
        Vector before;
        std::memcpy(&before, to + j * kLanes, sizeof before);
        value += before;
      }
      std::memcpy(to + j * kLanes, &value, sizeof value);
    }
    to += to_row;
  }
}

using SmallBlockFunction = void (*)(const SmallBlock& args);

template <int64_t kVectors, int64_t kRows>
void RunBlock(const SmallBlock& args) {
  ForCpu([&args](auto level) HALO_INLINED {
    constexpr CpuLevel kLevel = decltype(level)::value;
    if constexpr (kVectors <= panels::kMostVectors<kLevel> &&
                  kRows <= panels::RowsFor<kLevel>(kVectors)) {
      MultiplyBlock<kLevel, kVectors, kRows>(args);
    }
  });
}
template <int64_t kVectors, size_t... kRow>
constexpr auto BlocksOf(std::index_sequence<kRow...> /*rows*/) {
  return std::array<SmallBlockFunction, sizeof...(kRow)>{
      RunBlock<kVectors, static_cast<int64_t>(kRow) + 1>...};
}
SmallBlockFunction BlockFor(int64_t vectors, int64_t rows) {
  using Rows = std::make_index_sequence<static_cast<size_t>(panels::kMostRows)>;
  static constexpr auto kOne = BlocksOf<1>(Rows());
  static constexpr auto kTwo = BlocksOf<2>(Rows());
  static constexpr auto kFour = BlocksOf<4>(Rows());
  const auto row = static_cast<size_t>(rows - 1);
  return vectors == 1 ? kOne[row] : vectors == 2 ? kTwo[row] : kFour[row];
}

// Sizes of the CPU level that this process uses.
struct Registers {
  int64_t lanes = 0, vectors = 0;
  std::array<int64_t, kMostVectors + 1> rows{};  // by vectors
};
Registers RegistersOfCpu() {
  return ForCpu([](auto level) HALO_INLINED {
    constexpr CpuLevel kLevel = decltype(level)::value;
    Registers out = {panels::kLanes<kLevel>, panels::kMostVectors<kLevel>, {}};
    for (int64_t i = 1; i <= kMostVectors; ++i) {
      out.rows[static_cast<size_t>(i)] = panels::RowsFor<kLevel>(i);
    }
    return out;
  });
}

// from[j * step + p] becomes to[p * to_row + j] for p < depth; missing columns are zeros.
HALO_INLINE void TransposeColumns(const float* from, int64_t step, int64_t columns, int64_t depth,
                                  float* to, int64_t to_row) {
  int64_t j = 0;
  for (; j + kSquare <= columns; j += kSquare) {
    int64_t p = 0;
    for (; p + kSquare <= depth; p += kSquare) {
      TransposeSquare(from + j * step + p, step, to + p * to_row + j, to_row);
    }
    for (; p < depth; ++p) {
      for (int64_t i = j; i < j + kSquare; ++i) to[p * to_row + i] = from[i * step + p];
    }
  }
  for (int64_t p = 0; p < depth && j < to_row; ++p) {
    for (int64_t i = j; i < to_row; ++i) {
      to[p * to_row + i] = i < columns ? from[i * step + p] : 0.0F;
    }
  }
}

// Rows of so many vectors are brought together.
void CopyPart(int64_t vectors, const float* from, int64_t step, int64_t rows, float* to) {
  ForCpu([=](auto level) HALO_INLINED {
    using Vector = typename panels::FloatVector<decltype(level)::value>::Type;
    const auto copy = [=](auto count) HALO_INLINED {
      Vector line[count];
      for (int64_t i = 0; i < rows; ++i) {
        std::memcpy(line, from + i * step, sizeof line);
        std::memcpy(to + i * count * panels::kLanes<decltype(level)::value>, line, sizeof line);
      }
    };
    switch (vectors) {
      case 1: return copy(std::integral_constant<int64_t, 1>());
      case 2: return copy(std::integral_constant<int64_t, 2>());
      default: return copy(std::integral_constant<int64_t, 4>());
    }
  });
}

// Less than a vector.
HALO_INLINE void CopyFew(const float* from, int64_t count, float* to) {
  constexpr int64_t kAtOnce = 4;
  int64_t i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce) {
    std::memcpy(to + i, from + i, kAtOnce * sizeof(float));
  }
  for (; i < count; ++i) to[i] = from[i];
}

// The columns of a block of sums become rows of the result.
HALO_INLINE void StoreTransposed(const float* sums, int64_t sums_row, int64_t rows, int64_t columns,
                                 float* to, int64_t to_row) {
  int64_t i = 0;
  for (; i + kSquare <= rows; i += kSquare) {
    int64_t j = 0;
    for (; j + kSquare <= columns; j += kSquare) {
      TransposeSquare(sums + i * sums_row + j, sums_row, to + j * to_row + i, to_row);
    }
    for (; j < columns; ++j) {
      for (int64_t q = i; q < i + kSquare; ++q) to[j * to_row + q] = sums[q * sums_row + j];
    }
  }
  for (; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * to_row + i] = sums[i * sums_row + j];
  }
}

class SmallGemm : public ProductKernel {
 public:
  // `product` as it is called, and whether its columns of a give the vectors, so that the result is
  // computed transposed.
  SmallGemm(const Product& product, bool is_swapped)
      : original_(product),
        product_(is_swapped ? product.Transposed() : product),
        is_swapped_(is_swapped),
        registers_(RegistersOfCpu()),
        packing_(PackingFor()) {
    const int64_t lanes = registers_.lanes;
    const int64_t most = MostVectors();
    for (int64_t at = 0; at < product_.n;) {
      int64_t vectors = most;
      const int64_t left = product_.n - at;
      while (vectors > 1 &&
             (vectors > (left + lanes - 1) / lanes || vectors * lanes > product_.n)) {
        vectors /= 2;
      }
      const int64_t width = vectors * lanes;
      parts_.push_back({std::max<int64_t>(0, std::min(at, product_.n - width)), vectors});
      at += width;
    }
    // A vector may read beyond a row of b, but not beyond the last one.
    const int64_t beyond = lanes - product_.n;
    safe_depth_ = product_.k;
    if (packing_ == Packing::kNone && beyond > 0) {
      const int64_t unsafe =
          product_.b.row > 0 ? (beyond + product_.b.row - 1) / product_.b.row : product_.k;
      safe_depth_ = std::max<int64_t>(0, product_.k - unsafe);
    }
  }

  // What has to be computed and moved, in vectors of sums, roughly.
  [[nodiscard]] int64_t Cost() const {
    const Product& p = product_;
    int64_t vectors = 0;
    for (const Part& part : parts_) vectors += part.vectors;
    const int64_t moved =
        (packing_ == Packing::kTransposed ? p.k * p.n : 0) + (is_swapped_ ? p.m * p.n : 0);
    return vectors * p.m * p.k / 2 + moved * 5 / 8;
  }

  [[nodiscard]] bool HasShortRows() const { return product_.n < registers_.lanes; }

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    if (is_swapped_) std::swap(a, b);
    const Product& p = product_;
    constexpr int64_t kWorthAThread = int64_t{1} << 20;  // multiply-adds
    const int64_t work = p.m * p.n * p.k;
    const int64_t blocks = std::clamp<int64_t>(work / kWorthAThread, 1, TeamSize());
    const int64_t rows = (p.m + blocks - 1) / blocks;
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t task = begin; task < end; ++task) {
        const BatchOffsets at = OffsetsOf(p, task / blocks);
        const int64_t first = task % blocks * rows;
        if (first >= p.m) continue;
        Multiply(static_cast<const float*>(a) + at.a + first * p.a.row,
                 static_cast<const float*>(b) + at.b,
                 static_cast<float*>(c) + at.c + first * p.c.row, std::min(rows, p.m - first));
      }
    };
    const int64_t tasks = p.batches() * blocks;
    const int64_t grain = std::max<int64_t>(1, kWorthAThread * blocks / std::max<int64_t>(1, work));
    if (tasks <= grain) {
      run(0, tasks);
    } else {
      TeamFor(tasks, grain, run);
    }
    return true;
  }
  [[nodiscard]] std::string Text() const override { return "small GEMM " + original_.SizeText(); }

 private:
  struct Part {
    int64_t column = 0, vectors = 0;
  };

  // How the vectors of a part are brought together before they are multiplied. Rows far apart
  // compete for the same lines of the nearest cache, where blocks read them again and again.
  enum class Packing : uint8_t { kNone, kCopied, kTransposed };

  [[nodiscard]] Packing PackingFor() const {
    const Product& p = product_;
    if (p.b.column != 1 && p.n != 1) return Packing::kTransposed;
    constexpr int64_t kFits = int64_t{1} << 12;
    const bool is_reread = p.m > 2 * registers_.rows[static_cast<size_t>(registers_.vectors)];
    return is_reread && p.n >= registers_.lanes && p.k * p.n > kFits ? Packing::kCopied
                                                                     : Packing::kNone;
  }

  // Narrow blocks have more rows, and so read b less often.
  [[nodiscard]] int64_t MostVectors() const {
    constexpr int64_t kNearestCache = int64_t{1} << 13;
    const Product& p = product_;
    const bool is_narrow = is_swapped_ || (p.k * p.n > kNearestCache && p.m > registers_.rows[4]);
    return is_narrow ? std::min<int64_t>(2, registers_.vectors) : registers_.vectors;
  }

  // The vectors of a part, brought together in `packed` unless they are read in place.
  const float* VectorsOf(const Part& part, const float* b, float* packed) const {
    const Product& p = product_;
    const float* vectors = b + part.column * (p.n == 1 ? 1 : p.b.column);
    if (packing_ == Packing::kNone) return vectors;
    if (packing_ == Packing::kCopied) {
      CopyPart(part.vectors, vectors, p.b.row, p.k, packed);
      return packed;
    }
    const int64_t width = part.vectors * registers_.lanes;
    const int64_t columns = std::min(width, p.n - part.column);
    const int64_t step = p.b.column;
    const int64_t depth = p.k;
    ForCpu([=](auto)
               HALO_INLINED { TransposeColumns(vectors, step, columns, depth, packed, width); });
    return packed;
  }

  // Moves sums of a block to the result.
  void Store(const float* sums, int64_t width, int64_t rows, int64_t columns, float* out) const {
    const MatrixStrides& to = product_.c;
    if (!is_swapped_) {
      for (int64_t i = 0; i < rows; ++i) CopyFew(sums + i * width, columns, out + i * to.row);
      return;
    }
    const int64_t row = to.column;
    ForCpu([=](auto) HALO_INLINED { StoreTransposed(sums, width, rows, columns, out, row); });
  }

  void Multiply(const float* a, const float* b, float* c, int64_t m) const {
    const Product& p = product_;
    float* packed =
        packing_ == Packing::kNone ? nullptr : PackingMemory(p.k * kMostVectors * registers_.lanes);
    alignas(64) float block[panels::kMostRows * kMostVectors * kMostLanes];
    alignas(64) float last[kMostLanes][kMostLanes];  // rows of b that end within a vector
    const int64_t unsafe = p.k - safe_depth_;
    for (int64_t i = 0; i < unsafe; ++i) {
      std::fill_n(last[i], kMostLanes, 0.0F);
      CopyFew(b + (safe_depth_ + i) * p.b.row, p.n, last[i]);
    }
    const bool is_direct = !is_swapped_ && !HasShortRows();
    for (const Part& part : parts_) {
      const int64_t width = part.vectors * registers_.lanes;
      const float* vectors = VectorsOf(part, b, packed);
      // As equal as possible; squares where the result is transposed.
      const int64_t most = std::min(registers_.rows[static_cast<size_t>(part.vectors)],
                                    is_swapped_ ? kSquare : panels::kMostRows);
      const int64_t strips = (m + most - 1) / most;
      int64_t rows = 0;
      for (int64_t i = 0, strip = 0; i < m; i += rows, ++strip) {
        rows = is_swapped_ ? std::min(most, m - i) : m / strips + (strip < m % strips ? 1 : 0);
        float* out = c + i * p.c.row + part.column * p.c.column;
        SmallBlock args = {.rows = a + i * p.a.row,
                           .row = p.a.row,
                           .row_p = p.a.column,
                           .vectors = vectors,
                           .vectors_p = packed != nullptr ? width : p.b.row,
                           .depth = safe_depth_,
                           .sums = is_direct ? out : block,
                           .sums_row = is_direct ? p.c.row : width,
                           .alpha = static_cast<float>(p.alpha)};
        const SmallBlockFunction function = BlockFor(part.vectors, rows);
        function(args);
        if (unsafe > 0) {
          args.rows += safe_depth_ * p.a.column;
          args.vectors = last[0];
          args.vectors_p = kMostLanes;
          args.depth = unsafe;
          args.adds = true;
          function(args);
        }
        if (!is_direct) Store(block, width, rows, std::min(width, p.n - part.column), out);
      }
    }
  }

  Product original_, product_;
  bool is_swapped_;
  Registers registers_;
  Packing packing_;
  std::vector<Part> parts_;
  int64_t safe_depth_ = 0;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeSmallGemm(const Product& p) {
  using enum ElementType;
  if (p.a_type != kF32 || p.b_type != kF32 || p.c_type != kF32 || p.beta != 0 || p.c.column != 1) {
    return nullptr;
  }
  // How many rows end within a vector of the last one follows from their distance.
  if (p.k > 1 && (p.a.column == 0 || p.b.row == 0)) return nullptr;
  // Measured with AVX2 and AVX-512: of larger matrices, oneDNN's kernels are faster.
  constexpr int64_t kLargestOperand = int64_t{1} << 16;
  constexpr int64_t kMostProducts = int64_t{1} << 21;
  if (std::max(p.m, p.n) * p.k > kLargestOperand || p.m * p.n * p.k > kMostProducts) return nullptr;
  auto by_rows = std::make_unique<SmallGemm>(p, false);
  auto by_columns = std::make_unique<SmallGemm>(p, true);
  auto best = by_columns->Cost() < by_rows->Cost() ? std::move(by_columns) : std::move(by_rows);
  // Rows shorter than a vector cost as much as whole ones.
  constexpr int64_t kMostShortRows = 128;
  if (best->HasShortRows() && p.batches() * p.m > kMostShortRows) return nullptr;
  return best;
}

}  // namespace halo

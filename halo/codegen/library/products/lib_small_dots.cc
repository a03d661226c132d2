// GEMM of a few f32 rows by columns where both are contiguous along the dimension that is summed:
// vectors are multiplied along it, and only the sums of a block are rearranged. With more rows it
// is quicker to transpose one side first.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "halo/codegen/library/lib_vectors.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/library/products/packing.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

constexpr int64_t kDotColumns = 4;
constexpr int64_t kTail = 16;  // at least the lanes of a vector

// Sums in registers, beside the vectors of all columns and of one row.
template <CpuLevel kLevel>
inline constexpr int64_t kDotRows = kLevel == CpuLevel::kAvx512 ? 4 : 2;

// Lines, and what follows their last whole vector, padded with zeros.
struct DotLines {
  const float* at = nullptr;
  int64_t step = 0;
  const float* tails = nullptr;
};

// to[i][j] = alpha * sum over p of a[i][p] * b[j][p].
template <CpuLevel kLevel, int64_t kRows>
HALO_INLINE void MultiplyLines(const DotLines& a, const DotLines& b, int64_t whole, bool has_tail,
                               float alpha, float* to, int64_t to_row) {
  using Vectors = LevelVectors<float, kLevel>;
  typename Vectors::Vector sums[kRows][kDotColumns] = {};
  const auto add = [&](const float* rows, int64_t row, const float* columns, int64_t column)
                       HALO_INLINED {
                         typename Vectors::Vector line[kDotColumns];
#pragma clang loop unroll(full)
                         for (int64_t j = 0; j < kDotColumns; ++j)
                           line[j] = Vectors::Load(columns + j * column);
#pragma clang loop unroll(full)
                         for (int64_t i = 0; i < kRows; ++i) {
                           const auto factor = Vectors::Load(rows + i * row);
#pragma clang loop unroll(full)
                           for (int64_t j = 0; j < kDotColumns; ++j) sums[i][j] += factor * line[j];
                         }
                       };
  for (int64_t p = 0; p < whole; p += Vectors::kCount) add(a.at + p, a.step, b.at + p, b.step);
  if (has_tail) add(a.tails, kTail, b.tails, kTail);
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < kRows; ++i) {
    const auto line = SumsOfVectors<Vectors, kDotColumns>(sums[i]) * alpha;
    std::memcpy(to + i * to_row, &line, kDotColumns * sizeof(float));
  }
}

void CopyTails(const float* from, int64_t step, int64_t lines, int64_t begin, int64_t end,
               float* to) {
  for (int64_t i = 0; i < lines; ++i) {
    std::fill_n(to + i * kTail, kTail, 0.0F);
    std::copy(from + i * step + begin, from + i * step + end, to + i * kTail);
  }
}

class SmallDots : public ProductKernel {
 public:
  explicit SmallDots(const Product& product) : product_(product) {}

  bool Run(const void* a, const void* b, void* c, void* /*scratch*/) const override {
    const auto run = [&](int64_t begin, int64_t end) {
      for (int64_t batch = begin; batch < end; ++batch) {
        const BatchOffsets at = OffsetsOf(product_, batch);
        Multiply(static_cast<const float*>(a) + at.a, static_cast<const float*>(b) + at.b,
                 static_cast<float*>(c) + at.c);
      }
    };
    const Product& p = product_;
    constexpr int64_t kWorthAThread = int64_t{1} << 20;  // multiply-adds
    TeamFor(p.batches(), std::max<int64_t>(1, kWorthAThread / (p.m * p.n * p.k)), run);
    return true;
  }
  [[nodiscard]] std::string Text() const override { return "small dots " + product_.SizeText(); }

 private:
  void Multiply(const float* a, const float* b, float* c) const {
    // Only numbers: what is captured gets copied.
    struct Sizes {
      int64_t m, n, k, a_row, b_column, c_row;
      float alpha;
    };
    const Sizes p = {.m = product_.m,
                     .n = product_.n,
                     .k = product_.k,
                     .a_row = product_.a.row,
                     .b_column = product_.b.column,
                     .c_row = product_.c.row,
                     .alpha = static_cast<float>(product_.alpha)};
    ForCpu([=](auto level) HALO_INLINED {
      constexpr CpuLevel kLevel = decltype(level)::value;
      constexpr int64_t kLanes = LevelVectors<float, kLevel>::kCount;
      const int64_t whole = p.k / kLanes * kLanes;
      const bool has_tail = whole < p.k;
      float* tails = has_tail ? PackingMemory((p.m + p.n) * kTail) : nullptr;
      if (has_tail) {
        CopyTails(a, p.a_row, p.m, whole, p.k, tails);
        CopyTails(b, p.b_column, p.n, whole, p.k, tails + p.m * kTail);
      }
      const int64_t strips = (p.m + kDotRows<kLevel> - 1) / kDotRows<kLevel>;
      for (int64_t j = 0; j < p.n; j += kDotColumns) {
        const int64_t column = std::min(j, p.n - kDotColumns);
        const DotLines columns = {b + column * p.b_column, p.b_column,
                                  has_tail ? tails + (p.m + column) * kTail : nullptr};
        int64_t i = 0;
        for (int64_t strip = 0; strip < strips; ++strip) {
          const int64_t rows = p.m / strips + (strip < p.m % strips ? 1 : 0);
          const DotLines lines = {a + i * p.a_row, p.a_row, has_tail ? tails + i * kTail : nullptr};
          float* to = c + i * p.c_row + column;
          const auto run = [&](auto count) HALO_INLINED {
            constexpr int64_t kRows = std::min(decltype(count)::value, kDotRows<kLevel>);
            MultiplyLines<kLevel, kRows>(lines, columns, whole, has_tail, p.alpha, to, p.c_row);
          };
          switch (rows) {
            case 1: run(std::integral_constant<int64_t, 1>()); break;
            case 2: run(std::integral_constant<int64_t, 2>()); break;
            case 3: run(std::integral_constant<int64_t, 3>()); break;
            default: run(std::integral_constant<int64_t, 4>());
          }
          i += rows;
        }
      }
    });
  }

  Product product_;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeSmallDots(const Product& p) {
  using enum ElementType;
  if (p.a_type != kF32 || p.b_type != kF32 || p.c_type != kF32 || p.beta != 0 || p.c.column != 1 ||
      p.a.column != 1 || p.b.row != 1 || p.n < kDotColumns) {
    return nullptr;
  }
  // Measured with AVX2 and AVX-512 against the small GEMM and the thin one.
  constexpr int64_t kLeastDepth = 48;
  constexpr int64_t kLargestOperand = int64_t{1} << 16;
  const int64_t few = 3 * (BestCpuLevel() == CpuLevel::kAvx512 ? kDotRows<CpuLevel::kAvx512>
                                                               : kDotRows<CpuLevel::kAvx2>);
  if (std::min(p.m, p.n) > few || p.k < kLeastDepth || std::max(p.m, p.n) * p.k > kLargestOperand) {
    return nullptr;
  }
  return std::make_unique<SmallDots>(p);
}

}  // namespace halo

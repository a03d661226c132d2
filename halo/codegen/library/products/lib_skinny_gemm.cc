// Skinny f32 GEMM with up to sixteen rows on the left and a right side too large for the caches: b
// is read once at memory speed, from several parts in parallel and prefetched ahead of its use, and
// is multiplied by all rows while it is in cache. Columns are spread over the threads.
#include <algorithm>
#include <cstring>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

#if defined(__x86_64__) && defined(__linux__)
#include <immintrin.h>

#define HALO_AVX512 __attribute__((target("avx512f")))

namespace halo {
namespace {

constexpr int64_t kPaddedRows = 16;
constexpr int64_t kWideLanes = 16;
constexpr int64_t kColumns = 8;      // contiguous columns read side by side
constexpr int64_t kDepth = 32;       // rows of b read side by side
constexpr int64_t kLength = 1024;    // of columns, kept in the nearest cache
constexpr int64_t kAhead = 64;       // elements of a row of b
constexpr int64_t kLeast = 1 << 18;  // elements of b; if it fits in the caches, oneDNN is better

// sums[row][16 columns] of each block, over contiguous rows of b. `a` holds the factors of all rows
// for each row of b.
HALO_AVX512 void SumRows(const float* a, int64_t k, const float* b, int64_t step, int64_t blocks,
                         float* sums) {
  for (int64_t first = 0; first < k; first += kDepth) {
    const int64_t depth = std::min(kDepth, k - first);
    for (int64_t block = 0; block < blocks; ++block) {
      float* to = sums + block * kPaddedRows * kWideLanes;
      const float* from = b + first * step + block * kWideLanes;
      const float* factor = a + first * kPaddedRows;
      __m512 sum[kPaddedRows];
      for (int64_t row = 0; row < kPaddedRows; ++row) {
        sum[row] = first == 0 ? _mm512_setzero_ps() : _mm512_load_ps(to + row * kWideLanes);
      }
      for (int64_t p = 0; p < depth; ++p) {
        const __m512 value = _mm512_loadu_ps(from);
        _mm_prefetch(reinterpret_cast<const char*>(from + kAhead), _MM_HINT_T0);
        for (int64_t row = 0; row < kPaddedRows; ++row) {
          sum[row] = _mm512_fmadd_ps(value, _mm512_set1_ps(factor[row]), sum[row]);
        }
        from += step;
        factor += kPaddedRows;
      }
      for (int64_t row = 0; row < kPaddedRows; ++row)
        _mm512_store_ps(to + row * kWideLanes, sum[row]);
    }
  }
}

// The same over `kColumns` contiguous columns of b: sums[column][row]. The rows of `a` are k apart.
// Meanwhile as much of `next` is prefetched as is read here.
HALO_AVX512 void SumColumns(const float* a, int64_t a_step, int64_t k, const float* b, int64_t step,
                            const float* next, float* sums) {
  alignas(64) float partial[kPaddedRows / 2][2][kColumns][kWideLanes];
  for (int64_t first = 0; first < k; first += kLength) {
    const int64_t length = std::min(kLength, k - first);
    const bool last = first + length == k;
    const float* coming = last ? next : b + first + length;
    for (int64_t pair = 0; pair < kPaddedRows / 2; ++pair) {
      __m512 sum[2][kColumns];
      for (int64_t c = 0; c < kColumns; ++c) {
        for (int64_t i = 0; i < 2; ++i) {
          sum[i][c] = first == 0 ? _mm512_setzero_ps() : _mm512_load_ps(partial[pair][i][c]);
        }
      }
      const float* rows = a + pair * 2 * a_step + first;
      const float* column = b + first;
      // Each pair of rows prefetches one of the next columns.
      const float* fetched = coming + pair * step;
      for (int64_t p = 0; p < length; p += kWideLanes) {
        _mm_prefetch(reinterpret_cast<const char*>(fetched + p), _MM_HINT_T1);
        const __m512 r0 = _mm512_loadu_ps(rows + p);
        const __m512 r1 = _mm512_loadu_ps(rows + a_step + p);
        for (int64_t c = 0; c < kColumns; ++c) {
          const __m512 value = _mm512_loadu_ps(column + c * step + p);
          sum[0][c] = _mm512_fmadd_ps(value, r0, sum[0][c]);
          sum[1][c] = _mm512_fmadd_ps(value, r1, sum[1][c]);
        }
      }
      for (int64_t c = 0; c < kColumns; ++c) {
        for (int64_t i = 0; i < 2; ++i) {
          if (last) {
            sums[c * kPaddedRows + pair * 2 + i] = _mm512_reduce_add_ps(sum[i][c]);
          } else {
            _mm512_store_ps(partial[pair][i][c], sum[i][c]);
          }
        }
      }
    }
  }
}

class SkinnyGemm : public ProductKernel {
 public:
  explicit SkinnyGemm(const Product& product)
      : product_(product), by_columns_(product.b.column != 1) {}

  bool Run(const void* a, const void* b, void* c, void* scratch) const override {
    const Product& p = product_;
    auto* rows = static_cast<float*>(scratch);
    auto* sums = rows + kPaddedRows * p.k;
    LoadRows(static_cast<const float*>(a), rows);
    const auto* right = static_cast<const float*>(b);
    const int64_t blocks = p.n / kWideLanes;
    TeamFor(blocks, 1, [&](int64_t begin, int64_t end) {
      float* own = sums + begin * kPaddedRows * kWideLanes;
      if (by_columns_) {
        for (int64_t j = begin * kWideLanes; j < end * kWideLanes; j += kColumns) {
          const int64_t next = std::min(j + kColumns, p.n - kColumns);
          SumColumns(rows, p.k, p.k, right + j * p.b.column, p.b.column, right + next * p.b.column,
                     sums + j * kPaddedRows);
        }
      } else {
        SumRows(rows, p.k, right + begin * kWideLanes, p.b.row, end - begin, own);
      }
      for (int64_t block = begin; block < end; ++block) {
        Store(sums + block * kPaddedRows * kWideLanes,
              static_cast<float*>(c) + block * kWideLanes * p.c.column);
      }
    });
    return true;
  }
  [[nodiscard]] int64_t scratch_bytes() const override {
    return kPaddedRows * (product_.k + product_.n) * static_cast<int64_t>(sizeof(float));
  }
  [[nodiscard]] std::string Text() const override { return "small-m GEMM " + product_.SizeText(); }

 private:
  // In the layout that the summation expects, with missing rows as zeros.
  void LoadRows(const float* a, float* rows) const {
    const Product& p = product_;
    TeamFor(p.k, 1024, [&](int64_t begin, int64_t end) {
      for (int64_t row = 0; row < kPaddedRows; ++row) {
        for (int64_t i = begin; i < end; ++i) {
          const float value = row < p.m ? a[row * p.a.row + i * p.a.column] : 0.0F;
          rows[by_columns_ ? row * p.k + i : i * kPaddedRows + row] = value;
        }
      }
    });
  }

  void Store(const float* sums, float* c) const {
    const Product& p = product_;
    const auto alpha = static_cast<float>(p.alpha);
    const auto beta = static_cast<float>(p.beta);
    for (int64_t row = 0; row < p.m; ++row) {
      for (int64_t j = 0; j < kWideLanes; ++j) {
        float& position = c[row * p.c.row + j * p.c.column];
        const float sum = alpha * sums[by_columns_ ? j * kPaddedRows + row : row * kWideLanes + j];
        position = beta == 0 ? sum : sum + beta * position;
      }
    }
  }

  Product product_;
  bool by_columns_;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeSkinnyGemm(const Product& p) {
  using enum ElementType;
  if (p.a_type != kF32 || p.b_type != kF32 || p.c_type != kF32 || p.batches() != 1) return nullptr;
  if (p.m > kPaddedRows || p.n % kWideLanes != 0 || p.k * p.n < kLeast) return nullptr;
  const bool by_columns = p.b.row == 1 && p.k % kWideLanes == 0;
  if ((p.b.column != 1 && !by_columns) || BestCpuLevel() != CpuLevel::kAvx512) return nullptr;
  return std::make_unique<SkinnyGemm>(p);
}

}  // namespace halo

#else

namespace halo {

std::unique_ptr<ProductKernel> MakeSkinnyGemm(const Product& /*product*/) { return nullptr; }

}  // namespace halo

#endif

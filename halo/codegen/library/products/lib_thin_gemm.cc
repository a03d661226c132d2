// Skinny GEMM with up to four rows on the left: b is read once and everything else stays in the
// nearest cache, so that memory bandwidth is the limit. Columns, or whole matrices of a batch, are
// spread over the threads; c is accumulated in f32.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "halo/codegen/library/lib_move.h"
#include "halo/codegen/library/lib_vectors.h"
#include "halo/codegen/library/products/lib_product.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/thread_team.h"

// Vectors are passed by value only to functions that are inlined into their callers.
#pragma clang diagnostic ignored "-Wpsabi"

namespace halo {
namespace {

constexpr int64_t kMaxRows = 4;
constexpr int64_t kStrip = 2048;  // most columns summed at a time

// Registers of smaller CPUs hold parts of a vector.
using WholeVectors = LevelVectors<float, CpuLevel::kAvx512>;
using Floats = WholeVectors::Vector;
using Halves = uint16_t __attribute__((vector_size(32)));
using Words = uint32_t __attribute__((vector_size(64)));
constexpr int64_t kLanes = WholeVectors::kCount;

template <class T>
HALO_INLINE Floats Load(const T* from) {
  if constexpr (sizeof(T) == 4) {
    Floats out;
    std::memcpy(&out, from, sizeof out);
    return out;
  } else {
    Halves halves;
    std::memcpy(&halves, from, sizeof halves);
    return std::bit_cast<Floats>(__builtin_convertvector(halves, Words) << 16);
  }
}

template <class T>
HALO_INLINE float LoadOne(const T* from) {
  if constexpr (sizeof(T) == 4) {
    return *from;
  } else {
    return std::bit_cast<float>(static_cast<uint32_t>(*from) << 16);
  }
}

// out[row][j] for kColumns contiguous columns from j on. Several are read side by side because
// memory bandwidth is higher with several streams. The rows of a are k apart.
template <int64_t kRows, int64_t kColumns, class T>
HALO_INLINE void SumColumnsAt(const float* a, int64_t k, const T* b, int64_t step, int64_t j,
                              float (*out)[kStrip]) {
  const T* column = b + j * step;
  Floats sums[kRows][kColumns] = {};
  int64_t p = 0;
  for (; p + kLanes <= k; p += kLanes) {
    Floats values[kColumns];
    for (int64_t c = 0; c < kColumns; ++c) values[c] = Load(column + c * step + p);
    for (int64_t row = 0; row < kRows; ++row) {
      const Floats factor = Load(a + row * k + p);
      for (int64_t c = 0; c < kColumns; ++c) sums[row][c] += factor * values[c];
    }
  }
  for (int64_t row = 0; row < kRows; ++row) {
    const Floats whole = SumsOfVectors<WholeVectors, kColumns>(sums[row]);
    for (int64_t c = 0; c < kColumns; ++c) {
      float sum = whole[c];
      for (int64_t q = p; q < k; ++q) sum += a[row * k + q] * LoadOne(column + c * step + q);
      out[row][j + c] = sum;
    }
  }
}

template <int64_t kRows, class T>
HALO_INLINE void SumColumns(const float* a, int64_t k, const T* b, int64_t step, int64_t columns,
                            float (*out)[kStrip]) {
  constexpr int64_t kAtOnce = kRows <= 2 ? 8 : 4;
  int64_t j = 0;
  for (; j + kAtOnce <= columns; j += kAtOnce) {
    SumColumnsAt<kRows, kAtOnce>(a, k, b, step, j, out);
  }
  for (; j < columns; ++j) SumColumnsAt<kRows, 1>(a, k, b, step, j, out);
}

// The same for contiguous rows of b, four of which are added at a time.
template <int64_t kRows, class T>
HALO_INLINE void SumRows(const float* a, int64_t k, const T* b, int64_t step, int64_t columns,
                         float (*out)[kStrip]) {
  for (int64_t row = 0; row < kRows; ++row) std::fill_n(out[row], columns, 0.0F);
  int64_t p = 0;
  for (; p + 4 <= k; p += 4) {
    const T* at = b + p * step;
    int64_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      const Floats b0 = Load(at + j);
      const Floats b1 = Load(at + step + j);
      const Floats b2 = Load(at + 2 * step + j);
      const Floats b3 = Load(at + 3 * step + j);
      for (int64_t row = 0; row < kRows; ++row) {
        const float* factor = a + row * k + p;
        Floats sum = Load(&out[row][j]);
        sum += b0 * factor[0];
        sum += b1 * factor[1];
        sum += b2 * factor[2];
        sum += b3 * factor[3];
        std::memcpy(&out[row][j], &sum, sizeof sum);
      }
    }
    for (; j < columns; ++j) {
      for (int64_t row = 0; row < kRows; ++row) {
        for (int64_t q = 0; q < 4; ++q) {
          out[row][j] += a[row * k + p + q] * LoadOne(at + q * step + j);
        }
      }
    }
  }
  for (; p < k; ++p) {
    for (int64_t j = 0; j < columns; ++j) {
      const float value = LoadOne(b + p * step + j);
      for (int64_t row = 0; row < kRows; ++row) out[row][j] += a[row * k + p] * value;
    }
  }
}

template <class T>
HALO_INLINE void SumStrip(int64_t rows, bool by_columns, const float* a, int64_t k, const T* b,
                          int64_t step, int64_t columns, float (*out)[kStrip]) {
  switch (rows * 2 + (by_columns ? 1 : 0)) {
    case 2: return SumRows<1>(a, k, b, step, columns, out);
    case 3: return SumColumns<1>(a, k, b, step, columns, out);
    case 4: return SumRows<2>(a, k, b, step, columns, out);
    case 5: return SumColumns<2>(a, k, b, step, columns, out);
    case 6: return SumRows<3>(a, k, b, step, columns, out);
    case 7: return SumColumns<3>(a, k, b, step, columns, out);
    case 8: return SumRows<4>(a, k, b, step, columns, out);
    default: return SumColumns<4>(a, k, b, step, columns, out);
  }
}
template <class T>
void SumStripOf(int64_t rows, bool by_columns, const float* a, int64_t k, const T* b, int64_t step,
                int64_t columns, float (*out)[kStrip]) {
  ForCpu([=](auto) HALO_INLINED { SumStrip(rows, by_columns, a, k, b, step, columns, out); });
}

class ThinGemm : public ProductKernel {
 public:
  explicit ThinGemm(const Product& product)
      : product_(product),
        by_columns_(product.b.row == 1 && (product.b.column != 1 || product.k >= product.n)) {
    const Product& p = product_;
    const int64_t team = TeamSize();
    // The widest strips that still give every thread some work.
    const int64_t wanted = p.batches() >= team ? p.n : (p.n + team - 1) / team;
    strip_ = std::clamp<int64_t>((wanted + 63) / 64 * 64, 64, p.m <= 2 ? kStrip : kStrip / 2);
    strips_ = (p.n + strip_ - 1) / strip_;
    constexpr int64_t kLong = 1 << 15;
    if (p.batches() == 1 && strips_ == 1) parts_ = std::clamp<int64_t>(p.k / kLong, 1, team);
  }

  bool Run(const void* a, const void* b, void* c, void* scratch) const override {
    if (parts_ > 1) {
      RunParts(a, b, c, static_cast<float*>(scratch));
      return true;
    }
    const Product& p = product_;
    const int64_t tasks = p.batches() * strips_;
    const int64_t work = p.m * p.k * std::min(strip_, p.n);
    TeamFor(tasks, std::max<int64_t>(1, kWorthAThread / work), [&](int64_t begin, int64_t end) {
      std::vector<float> rows(static_cast<size_t>(p.m * p.k));
      int64_t loaded = -1;
      for (int64_t task = begin; task < end; ++task) {
        const BatchOffsets at = OffsetsOf(p, task / strips_);
        if (loaded != task / strips_) LoadRows(a, at.a, p.k, rows.data());
        loaded = task / strips_;
        Strip(rows.data(), b, at.b, c, at.c, task % strips_ * strip_);
      }
    });
    return true;
  }
  [[nodiscard]] int64_t scratch_bytes() const override {
    return parts_ > 1 ? parts_ * kMaxRows * kStrip * static_cast<int64_t>(sizeof(float)) : 0;
  }
  [[nodiscard]] std::string Text() const override {
    return "skinny GEMM " + std::string(TextOf(product_.b_type)) + " " + product_.SizeText();
  }

 private:
  static constexpr int64_t kWorthAThread = 1 << 17;  // multiply-adds: about 7 us

  // A long sum with few results: each thread sums a chunk of it.
  void RunParts(const void* a, const void* b, void* c, float* sums) const {
    const Product& p = product_;
    const auto part_at = [&](int64_t part) {
      return reinterpret_cast<float(*)[kStrip]>(sums + part * kMaxRows * kStrip);
    };
    TeamFor(parts_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t first = p.k * part / parts_;
        const int64_t length = p.k * (part + 1) / parts_ - first;
        std::vector<float> rows(static_cast<size_t>(p.m * length));
        LoadRows(a, first * p.a.column, length, rows.data());
        Sum(rows.data(), length, b, first * p.b.row, p.n, part_at(part));
      }
    });
    for (int64_t row = 0; row < p.m; ++row) {
      float* sum = part_at(0)[row];
      for (int64_t part = 1; part < parts_; ++part) {
        for (int64_t j = 0; j < p.n; ++j) sum[j] += part_at(part)[row][j];
      }
      Store(sum, p.n, c, row * p.c.row);
    }
  }

  void LoadRows(const void* a, int64_t offset, int64_t k, float* rows) const {
    const Product& p = product_;
    const size_t bytes = StoredBytes(p.a_type);
    for (int64_t row = 0; row < p.m; ++row) {
      const auto* from =
          static_cast<const uint8_t*>(a) + static_cast<size_t>(offset + row * p.a.row) * bytes;
      for (int64_t i = 0; i < k; ++i) {
        const uint8_t* at = from + static_cast<size_t>(i * p.a.column) * bytes;
        rows[row * k + i] = bytes == 4 ? *reinterpret_cast<const float*>(at)
                                       : LoadOne(reinterpret_cast<const uint16_t*>(at));
      }
    }
  }

  void Sum(const float* rows, int64_t k, const void* b, int64_t begin, int64_t columns,
           float (*out)[kStrip]) const {
    const Product& p = product_;
    const int64_t step = by_columns_ ? p.b.column : p.b.row;
    if (p.b_type == ElementType::kF32) {
      SumStripOf(p.m, by_columns_, rows, k, static_cast<const float*>(b) + begin, step, columns,
                 out);
    } else {
      SumStripOf(p.m, by_columns_, rows, k, static_cast<const uint16_t*>(b) + begin, step, columns,
                 out);
    }
  }

  void Strip(const float* rows, const void* b, int64_t b_at, void* c, int64_t c_at,
             int64_t first) const {
    const Product& p = product_;
    const int64_t columns = std::min(strip_, p.n - first);
    alignas(64) float out[kMaxRows][kStrip];
    Sum(rows, p.k, b, b_at + first * p.b.column, columns, out);
    for (int64_t row = 0; row < p.m; ++row) {
      Store(out[row], columns, c, c_at + row * p.c.row + first * p.c.column);
    }
  }

  void Store(float* sums, int64_t columns, void* c, int64_t at) const {
    const Product& p = product_;
    const auto alpha = static_cast<float>(p.alpha);
    const auto beta = static_cast<float>(p.beta);
    if (alpha != 1) {
      for (int64_t j = 0; j < columns; ++j) sums[j] *= alpha;
    }
    if (p.c_type == ElementType::kF32) {
      auto* to = static_cast<float*>(c) + at;
      for (int64_t j = 0; j < columns; ++j) {
        float& position = to[j * p.c.column];
        position = beta == 0 ? sums[j] : sums[j] + beta * position;
      }
      return;
    }
    auto* to = static_cast<uint16_t*>(c) + at;
    if (beta != 0) {
      for (int64_t j = 0; j < columns; ++j) sums[j] += beta * LoadOne(to + j * p.c.column);
    }
    if (p.c.column == 1)
      return ConvertRun(ElementType::kF32, ElementType::kBF16, sums, to, columns);
    std::array<uint16_t, kStrip> narrow;
    ConvertRun(ElementType::kF32, ElementType::kBF16, sums, narrow.data(), columns);
    for (int64_t j = 0; j < columns; ++j) to[j * p.c.column] = narrow[static_cast<size_t>(j)];
  }

  Product product_;
  bool by_columns_;
  int64_t strip_ = kStrip, strips_ = 1, parts_ = 1;
};

}  // namespace

std::unique_ptr<ProductKernel> MakeThinGemm(const Product& p) {
  using enum ElementType;
  const auto is_known = [](ElementType type) { return type == kF32 || type == kBF16; };
  if (p.m > kMaxRows || p.b_type != p.a_type || !is_known(p.b_type) || !is_known(p.c_type)) {
    return nullptr;
  }
  // This kernel rounds sums of bf16 products to bf16, but not sums of f32 products.
  if (p.b_type == kF32 && p.c_type == kBF16) return nullptr;
  if (p.b.row != 1 && p.b.column != 1) return nullptr;
  return std::make_unique<ThinGemm>(p);
}

}  // namespace halo

// Vectors of a block are copied to a separate matrix, with zeros above their first element.
#include "halo/codegen/library/linalg/dense_reflect.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "halo/codegen/library/linalg/dense_kernels.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// Reflections of a block: few, so that little is done one column after the other, unless there are
// many columns.
int64_t BlockSize(int64_t columns) { return columns <= 256 ? 16 : 32; }

// The sum of products, in U.
template <class U, class T>
HALO_INLINE U ProductOf(const T* a, const T* b, int64_t n) {
  constexpr int64_t kCount = 64 / sizeof(T);
  U sums[kCount] = {};
  int64_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    for (int64_t l = 0; l < kCount; ++l) {
      sums[l] += static_cast<U>(a[i + l]) * static_cast<U>(b[i + l]);
    }
  }
  for (int64_t half = kCount / 2; half > 0; half /= 2) {
    for (int64_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  for (; i < n; ++i) sums[0] += static_cast<U>(a[i]) * static_cast<U>(b[i]);
  return sums[0];
}

// Subtracts scale * v (v^T column) from a column, where v is 1 and x.
template <class T>
HALO_INLINE void ReflectColumn(T scale, const T* x, int64_t n, T* column) {
  const T sum = scale * (column[0] + ProductOf<T>(x, column + 1, n));
  column[0] -= sum;
  for (int64_t i = 0; i < n; ++i) column[i + 1] -= sum * x[i];
}

// Sums of squares are computed in double, where those of floats neither overflow nor vanish.
template <class T>
HALO_INLINE double NormOf(const T* x, int64_t n) {
  const double squares = ProductOf<double>(x, x, n);
  if (squares > 1e-280 && squares < 1e300) return std::sqrt(squares);
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(double{x[i]}));
  if (largest == 0 || !std::isfinite(largest)) return std::sqrt(squares);
  double parts = 0;
  for (int64_t i = 0; i < n; ++i) parts += x[i] / largest * (x[i] / largest);
  return largest * std::sqrt(parts);
}

// The reflection that makes all elements of a column but the first zero. The vector replaces them,
// and the norm the first, with the other sign.
template <class T>
HALO_INLINE T MakeReflection(T* column, int64_t n) {
  T* x = column + 1;
  const double rest = NormOf(x, n - 1);
  if (rest == 0) return 0;
  const double alpha = column[0];
  const double norm = std::hypot(alpha, rest);
  const double beta = alpha >= 0 ? -norm : norm;
  const T by = static_cast<T>(1 / (alpha - beta));
  const T from = static_cast<T>(alpha - beta);
  if (std::isnormal(by)) {
    for (int64_t i = 0; i < n - 1; ++i) x[i] *= by;
  } else {
    for (int64_t i = 0; i < n - 1; ++i) x[i] /= from;
  }
  column[0] = static_cast<T>(beta);
  return static_cast<T>((beta - alpha) / beta);
}

// `count` reflections from the rows of the first one down: V and V T or, to apply the first one
// first, V T^T.
template <class T>
class ReflectionBlock {
 public:
  ReflectionBlock(const T* a, int64_t a_column, int64_t rows, int64_t count, const T* scales,
                  bool first_first)
      : rows_(rows),
        count_(count),
        vectors_(static_cast<size_t>(rows * count)),
        products_(static_cast<size_t>(rows * count)) {
    for (int64_t k = 0; k < count; ++k) {
      T* v = &vectors_[static_cast<size_t>(k * rows)];
      v[k] = 1;
      std::copy_n(a + k * a_column + k + 1, rows - k - 1, v + k + 1);
    }
    // Above the diagonal, column k of -T is scale T V^T v.
    std::vector<T> t(static_cast<size_t>(count * count));
    MultiplyColumns<T>(count, count, rows, vectors_.data(), rows, vectors_.data(), rows, t.data(),
                       count);
    for (int64_t k = 0; k < count; ++k) {
      T* column = &t[static_cast<size_t>(k * count)];
      for (int64_t i = 0; i < k; ++i) {
        T sum = 0;
        for (int64_t j = i; j < k; ++j) sum -= t[static_cast<size_t>(i + j * count)] * column[j];
        column[i] = scales[k] * sum;
      }
      column[k] = -scales[k];
      std::fill(column + k + 1, column + count, T{});
    }
    const Strided<const T> by = {t.data(), first_first ? count : 1, first_first ? 1 : count};
    SubtractProduct<T>(rows, count, count, vectors_.data(), rows, by, products_.data(), rows);
  }

  void Apply(T* a, int64_t a_column, int64_t columns) const {
    std::vector<T> sums(static_cast<size_t>(count_ * columns));
    MultiplyColumns<T>(count_, columns, rows_, vectors_.data(), rows_, a, a_column, sums.data(),
                       count_);
    SubtractProduct<T>(rows_, columns, count_, products_.data(), rows_, {sums.data(), 1, count_}, a,
                       a_column);
  }

 private:
  int64_t rows_, count_;
  std::vector<T> vectors_, products_;
};

}  // namespace

template <class T>
void FactorDenseQr(T* a, int64_t rows, int64_t columns, T* scales) {
  const int64_t least = std::min(rows, columns);
  const int64_t size = BlockSize(columns);
  for (int64_t begin = 0; begin < least; begin += size) {
    const int64_t end = std::min(begin + size, least);
    ForCpu([=](auto) HALO_INLINED {
      for (int64_t k = begin; k < end; ++k) {
        T* column = a + k + k * rows;
        scales[k] = MakeReflection(column, rows - k);
        if (scales[k] == 0) continue;
        for (int64_t j = k + 1; j < end; ++j) {
          ReflectColumn(scales[k], column + 1, rows - k - 1, a + k + j * rows);
        }
      }
    });
    if (end == columns) break;
    const ReflectionBlock<T> block(a + begin + begin * rows, rows, rows - begin, end - begin,
                                   scales + begin, /*first_first=*/true);
    block.Apply(a + begin + end * rows, rows, columns - end);
  }
}

template <class T>
void FormDenseQ(T* a, int64_t rows, int64_t columns, const T* scales, int64_t count) {
  for (int64_t j = count; j < columns; ++j) {
    std::fill_n(a + j * rows, rows, T{});
    a[j + j * rows] = 1;
  }
  const int64_t size = BlockSize(columns);
  for (int64_t end = count; end > 0;) {
    const int64_t begin = (end - 1) / size * size;
    const ReflectionBlock<T> block(a + begin + begin * rows, rows, rows - begin, end - begin,
                                   scales + begin, /*first_first=*/false);
    for (int64_t j = begin; j < end; ++j) {
      std::fill_n(a + j * rows, rows, T{});
      a[j + j * rows] = 1;
    }
    block.Apply(a + begin + begin * rows, rows, columns - begin);
    end = begin;
  }
}

template void FactorDenseQr(float*, int64_t, int64_t, float*);
template void FactorDenseQr(double*, int64_t, int64_t, double*);
template void FormDenseQ(float*, int64_t, int64_t, const float*, int64_t);
template void FormDenseQ(double*, int64_t, int64_t, const double*, int64_t);

}  // namespace halo

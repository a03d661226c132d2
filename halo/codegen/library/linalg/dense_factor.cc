// The last columns are factored one after the other, and each is subtracted from those after it.
#include "halo/codegen/library/linalg/dense_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/codegen/library/linalg/dense_kernels.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

constexpr int64_t kPanel = 16;
// Of the columns to split, the first half in whole panels.
int64_t HalfOf(int64_t columns) { return (columns / 2 + kPanel - 1) / kPanel * kPanel; }

// The first of the elements with the largest size. A NaN is chosen only if it is the first element.
template <class T>
HALO_INLINE int64_t LargestOf(const T* x, int64_t n) {
  constexpr int64_t kSums = 64 / sizeof(T);
  T most[kSums];
  std::fill_n(most, kSums, std::abs(x[0]));
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums) {
    for (int64_t l = 0; l < kSums; ++l) {
      const T size = std::abs(x[i + l]);
      most[l] = size > most[l] ? size : most[l];
    }
  }
  for (int64_t half = kSums / 2; half > 0; half /= 2) {
    for (int64_t l = 0; l < half; ++l) most[l] = std::max(most[l], most[l + half]);
  }
  T largest = most[0];
  for (; i < n; ++i) largest = std::abs(x[i]) > largest ? std::abs(x[i]) : largest;
  for (i = 0; i < n; ++i) {
    if (std::abs(x[i]) == largest) return i;
  }
  return 0;
}

// column[i] -= factor * by[i]
template <class T>
HALO_INLINE void SubtractColumn(T factor, const T* by, T* column, int64_t n) {
  for (int64_t i = 0; i < n; ++i) column[i] -= factor * by[i];
}

// column[i] /= by, as products with the inverse where that does not overflow.
template <class T>
HALO_INLINE void DivideColumn(T by, T* column, int64_t n) {
  if (std::abs(by) < std::numeric_limits<T>::min()) {
    for (int64_t i = 0; i < n; ++i) column[i] /= by;
    return;
  }
  const T inverse = 1 / by;
  for (int64_t i = 0; i < n; ++i) column[i] *= inverse;
}

template <class T>
struct LuMatrix {
  T* a;
  int64_t rows;  // of the whole matrix; the distance of its columns
  int32_t* pivots;
  int64_t first_zero = -1;

  // Columns `begin` to `end` - 1, from row `begin` down.
  void Columns(int64_t begin, int64_t end) {
    const int64_t width = end - begin;
    if (width <= kPanel) return Panel(begin, end);
    const int64_t middle = begin + HalfOf(width);
    Columns(begin, middle);
    if (middle >= rows) {
      Exchange(begin, rows, middle, end);
      SolveRight(begin, rows, middle, end);
      return;
    }
    Exchange(begin, middle, middle, end);
    SolveRight(begin, middle, middle, end);
    SubtractProduct<T>(rows - middle, end - middle, middle - begin, At(middle, begin), rows,
                       {At(begin, middle), 1, rows}, At(middle, middle), rows);
    Columns(middle, end);
    Exchange(middle, std::min(end, rows), begin, middle);
  }

 private:
  T* At(int64_t i, int64_t j) const { return a + i + j * rows; }

  // Applies the exchanges of rows `first` to `last` - 1 to some columns.
  void Exchange(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    for (int64_t j = begin; j < end; ++j) {
      T* column = At(0, j);
      for (int64_t k = first; k < last; ++k) std::swap(column[k], column[pivots[k]]);
    }
  }

  // The rows `first` to `last` - 1 of U in columns that are right of the diagonal.
  void SolveRight(int64_t first, int64_t last, int64_t begin, int64_t end) const {
    const Strided<T> right = {At(first, begin), 1, rows};
    SolveLower<T>(last - first, {At(first, first), 1, rows}, true, end - begin,
                  {right.at, right.row, right.column}, right);
  }

  void Panel(int64_t begin, int64_t end) {
    const int64_t zero = ForCpu([=, column = a, rows = rows, pivots = pivots](auto) HALO_INLINED {
      int64_t found = -1;
      for (int64_t k = begin; k < std::min(end, rows); ++k) {
        T* const own = column + k * rows;
        const int64_t pivot = k + LargestOf(own + k, rows - k);
        pivots[k] = static_cast<int32_t>(pivot);
        if (own[pivot] == 0) {  // and so is everything below
          if (found < 0) found = k;
          continue;
        }
        if (pivot != k) {
          for (int64_t j = begin; j < end; ++j) {
            std::swap(column[k + j * rows], column[pivot + j * rows]);
          }
        }
        DivideColumn(own[k], own + k + 1, rows - k - 1);
        for (int64_t j = k + 1; j < end; ++j) {
          T* other = column + j * rows;
          SubtractColumn(other[k], own + k + 1, other + k + 1, rows - k - 1);
        }
      }
      return found;
    });
    if (first_zero < 0) first_zero = zero;
  }
};

template <class T>
struct CholeskyMatrix {
  T* a;
  int64_t n;
  bool allows_zeros;

  // Returns the first column without a factor, or -1.
  int64_t Columns(int64_t begin, int64_t end) const {
    const int64_t width = end - begin;
    if (width <= kPanel) return Panel(begin, end);
    const int64_t middle = begin + HalfOf(width);
    if (const int64_t failed = Columns(begin, middle); failed >= 0) return failed;
    // Rows of the block below the diagonal are solved as columns of its transpose.
    const Strided<T> below = {At(middle, begin), n, 1};
    SolveLower<T>(middle - begin, {At(begin, begin), 1, n}, false, end - middle,
                  {below.at, below.row, below.column}, below);
    constexpr int64_t kStrip = 32;
    for (int64_t j = middle; j < end; j += kStrip) {
      const int64_t columns = std::min(kStrip, end - j);
      T above[kStrip][kStrip];  // what is above the diagonal is not ours
      for (int64_t i = 1; i < columns; ++i) std::copy_n(At(j, j + i), i, above[i]);
      SubtractProduct<T>(end - j, columns, middle - begin, At(j, begin), n, {At(j, begin), n, 1},
                         At(j, j), n);
      for (int64_t i = 1; i < columns; ++i) std::copy_n(above[i], i, At(j, j + i));
    }
    return Columns(middle, end);
  }

 private:
  T* At(int64_t i, int64_t j) const { return a + i + j * n; }

  int64_t Panel(int64_t begin, int64_t end) const {
    return ForCpu([=, a = a, n = n, allows_zeros = allows_zeros](auto) HALO_INLINED -> int64_t {
      for (int64_t k = begin; k < end; ++k) {
        T* const own = a + k * n;
        if (!(own[k] > 0) && !(allows_zeros && own[k] == 0)) return k;
        const T root = std::sqrt(own[k]);
        own[k] = allows_zeros && n > 1 ? own[k] / root : root;
        DivideColumn(root, own + k + 1, end - k - 1);
        for (int64_t j = k + 1; j < end; ++j) {
          SubtractColumn(own[j], own + j, a + j * n + j, end - j);
        }
      }
      return -1;
    });
  }
};

}  // namespace

template <class T>
int64_t FactorDenseLu(T* a, int64_t rows, int64_t columns, int32_t* pivots) {
  LuMatrix<T> matrix{a, rows, pivots};
  matrix.Columns(0, columns);
  return matrix.first_zero;
}

template <class T>
int64_t FactorDenseCholesky(T* a, int64_t n, bool allows_zeros) {
  return CholeskyMatrix<T>{a, n, allows_zeros}.Columns(0, n);
}

template int64_t FactorDenseLu(float*, int64_t, int64_t, int32_t*);
template int64_t FactorDenseLu(double*, int64_t, int64_t, int32_t*);
template int64_t FactorDenseCholesky(float*, int64_t, bool);
template int64_t FactorDenseCholesky(double*, int64_t, bool);

}  // namespace halo

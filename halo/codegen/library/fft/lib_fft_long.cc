// Element j of the line is at row j / columns and column j % columns. Element k of the result is at
// row k % rows of the output of the column transforms.
#include "halo/codegen/library/fft/lib_fft_long.h"

#include <algorithm>
#include <utility>

#include "halo/codegen/library/lib_rows.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

constexpr int64_t kShortest = 64;
constexpr int64_t kShortestForThreads = 32768;
constexpr int64_t kFine = 1024;
constexpr int64_t kLongestTable = 65536;

template <class T>
HALO_INLINE FftCell<T> CellProduct(const FftCell<T>& a, const FftCell<T>& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

}  // namespace

template <class T>
std::shared_ptr<const LongFft<T>> LongFft<T>::Make(int64_t n) {
  if (n < kShortest) return nullptr;
  int64_t rows = 1;
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) rows = d;
  }
  if (2 * rows < FftLanes<T>::kCount) return nullptr;
  return std::shared_ptr<const LongFft>(new LongFft(rows, n / rows));
}

template <class T>
LongFft<T>::LongFft(int64_t rows, int64_t columns)
    : rows_(rows),
      columns_(columns),
      shares_(rows * columns < kShortestForThreads ? 1 : TeamSize()),
      down_(rows),
      along_(columns) {
  const int64_t n = rows * columns;
  if (n <= kLongestTable) {
    constexpr int64_t kLanes = FftLanes<T>::kCount;
    for (int64_t first = 0; first < columns; first += kLanes) {
      for (int64_t k = 0; k < rows; ++k) {
        FftCell<T>& cell = roots_.emplace_back();
        for (int64_t l = 0; l < kLanes; ++l) {
          const FftPart<T> root = FftRoot<T>(k * (first + l) % n, n);
          cell.re[l] = root.re;
          cell.im[l] = root.im;
        }
      }
    }
    return;
  }
  for (int64_t k = 0; k < kFine; ++k) fine_.push_back(FftRoot<T>(k, n));
  for (int64_t k = 0; k <= n / kFine; ++k) coarse_.push_back(FftRoot<T>(k * kFine, n));
}

template <class T>
FftPart<T> LongFft<T>::RootAt(int64_t row, int64_t column) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  if (!roots_.empty()) {
    const FftCell<T>& cell = roots_[static_cast<size_t>(column / kLanes * rows_ + row)];
    return {cell.re[column % kLanes], cell.im[column % kLanes]};
  }
  const int64_t power = row * column;
  const FftPart<T>& a = coarse_[static_cast<size_t>(power / kFine)];
  const FftPart<T>& b = fine_[static_cast<size_t>(power % kFine)];
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
int64_t LongFft<T>::share_cells() const {
  return 2 * std::max(down_.workspace(), along_.workspace());
}

template <class T>
int64_t LongFft<T>::padded_rows() const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  return (rows_ + kLanes - 1) / kLanes * kLanes;
}

template <class T>
int64_t LongFft<T>::matrix_cells() const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  return (columns_ + kLanes - 1) / kLanes * padded_rows();
}

template <class T>
int64_t LongFft<T>::scratch_bytes() const {
  return (matrix_cells() + shares_ * share_cells()) * static_cast<int64_t>(sizeof(FftCell<T>));
}

template <class T>
void LongFft<T>::Columns(const T* from, int64_t step, bool inverse, int64_t first,
                         FftCell<T>* cells, FftCell<T>* to) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  const int64_t count = std::min(kLanes, columns_ - first);
  const int64_t re = inverse ? 1 : 0;
  const int64_t rows = rows_;
  if (step == 1 && count == kLanes) {
    const int64_t stride = 2 * columns_;
    const T* at = from + 2 * first;
    ForCpu([=](auto level) HALO_INLINED {
      for (int64_t j = 0; j < rows; ++j) {
        LoadCell<decltype(level)::value>(at + j * stride, re, cells[j]);
      }
    });
  } else {
    for (int64_t j = 0; j < rows; ++j) {
      const T* at = from + (j * columns_ + first) * 2 * step;
      FftCell<T> cell = {};
      for (int64_t l = 0; l < count; ++l) {
        cell.re[l] = at[2 * l * step + re];
        cell.im[l] = at[2 * l * step + 1 - re];
      }
      cells[j] = cell;
    }
  }
  const FftCell<T>* done = down_.Run(cells, cells + share_cells() / 2);
  if (!roots_.empty()) {
    const FftCell<T>* roots = roots_.data() + first / kLanes * rows;
    ForCpu([=](auto) HALO_INLINED {
      for (int64_t k = 0; k < rows; ++k) to[k] = CellProduct(done[k], roots[k]);
    });
    return;
  }
  for (int64_t k = 0; k < rows; ++k) {
    FftCell<T> roots = {};
    for (int64_t l = 0; l < count; ++l) {
      const FftPart<T> root = RootAt(k, first + l);
      roots.re[l] = root.re;
      roots.im[l] = root.im;
    }
    to[k] = CellProduct(done[k], roots);
  }
}

template <class T>
void LongFft<T>::Rows(const FftCell<T>* from, bool inverse, int64_t first, FftCell<T>* cells, T* to,
                      int64_t step) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  const int64_t count = std::min(kLanes, rows_ - first);
  const int64_t columns = columns_;
  const int64_t stride = padded_rows();
  ForCpu([=](auto level) HALO_INLINED {
    for (int64_t begin = 0; begin < columns; begin += kLanes) {
      TransposeCells<decltype(level)::value>(from + begin / kLanes * stride + first,
                                             std::min(kLanes, columns - begin), cells + begin);
    }
  });
  const FftCell<T>* done = along_.Run(cells, cells + share_cells() / 2);
  const T scale = inverse ? T{1} / static_cast<T>(rows_ * columns_) : T{1};
  const int64_t re = inverse ? 1 : 0;
  if (step == 1 && count == kLanes) {
    const int64_t row = 2 * rows_;
    T* out = to + 2 * first;
    ForCpu([=](auto level) HALO_INLINED {
      for (int64_t k = 0; k < columns; ++k) {
        StoreCell<decltype(level)::value>(done[k], re, scale, out + k * row);
      }
    });
    return;
  }
  for (int64_t k = 0; k < columns_; ++k) {
    T* at = to + (k * rows_ + first) * 2 * step;
    for (int64_t l = 0; l < count; ++l) {
      at[2 * l * step + re] = done[k].re[l] * scale;
      at[2 * l * step + 1 - re] = done[k].im[l] * scale;
    }
  }
}

template <class T>
void LongFft<T>::Run(const T* from, int64_t from_step, T* to, int64_t to_step, bool inverse,
                     void* scratch) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  auto* matrix = static_cast<FftCell<T>*>(scratch);
  FftCell<T>* cells = matrix + matrix_cells();
  const auto each = [&](int64_t lines, const auto& body) {
    const int64_t blocks = (lines + kLanes - 1) / kLanes;
    ForShares(blocks, std::min(shares_, blocks), [&](int64_t share, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i * kLanes, cells + share * share_cells());
    });
  };
  each(columns_, [&](int64_t first, FftCell<T>* own) {
    Columns(from, from_step, inverse, first, own, matrix + first / kLanes * padded_rows());
  });
  each(rows_,
       [&](int64_t first, FftCell<T>* own) { Rows(matrix, inverse, first, own, to, to_step); });
}

template <class T>
std::shared_ptr<const LongRealFft<T>> LongRealFft<T>::Make(int64_t n) {
  if (n % 2 != 0) return nullptr;
  auto half = LongFft<T>::Make(n / 2);
  if (half == nullptr) return nullptr;
  return std::shared_ptr<const LongRealFft>(new LongRealFft(n / 2, std::move(half)));
}

template <class T>
LongRealFft<T>::LongRealFft(int64_t half, std::shared_ptr<const LongFft<T>> transform)
    : half_(half), transform_(std::move(transform)) {
  for (int64_t k = 0; k <= half / 2; ++k) roots_.push_back(FftRoot<T>(k, 2 * half));
}

template <class T>
int64_t LongRealFft<T>::scratch_bytes() const {
  return spectrum_bytes() + transform_->scratch_bytes();
}

template <class T>
int64_t LongRealFft<T>::spectrum_bytes() const {
  return (static_cast<int64_t>(2 * sizeof(T)) * half_ + 63) / 64 * 64;
}

// With even elements as real and odd ones as imaginary parts, the spectrum Z of half the length is
// E + i O, where E and O are the spectra of even and odd elements, and X[k] = E[k] + w^k O[k].
template <class T>
void LongRealFft<T>::Forward(const T* from, T* to, int64_t to_step, void* scratch) const {
  T* z = static_cast<T*>(scratch);
  transform_->Run(from, 1, z, 1, false, static_cast<uint8_t*>(scratch) + spectrum_bytes());
  const T half = static_cast<T>(0.5);
  const auto store = [&](int64_t k, T re, T im) {
    to[2 * k * to_step] = re;
    to[2 * k * to_step + 1] = im;
  };
  store(0, z[0] + z[1], T{0});
  store(half_, z[0] - z[1], T{0});
  for (int64_t k = 1; k <= half_ / 2; ++k) {
    const T* a = z + 2 * k;
    const T* b = z + 2 * (half_ - k);
    const FftPart<T>& w = roots_[static_cast<size_t>(k)];
    const T even_re = half * (a[0] + b[0]);
    const T even_im = half * (a[1] - b[1]);
    const T odd_re = half * (a[1] + b[1]);
    const T odd_im = half * (b[0] - a[0]);
    const T turned_re = odd_re * w.re - odd_im * w.im;
    const T turned_im = odd_re * w.im + odd_im * w.re;
    store(half_ - k, even_re - turned_re, turned_im - even_im);
    store(k, even_re + turned_re, even_im + turned_im);
  }
}

template <class T>
void LongRealFft<T>::Inverse(const T* from, int64_t from_step, T* to, void* scratch) const {
  T* z = static_cast<T*>(scratch);
  const T half = static_cast<T>(0.5);
  const auto at = [&](int64_t k) { return from + 2 * k * from_step; };
  // The imaginary parts of the first and the last element do not count.
  z[0] = half * (at(0)[0] + at(half_)[0]);
  z[1] = half * (at(0)[0] - at(half_)[0]);
  for (int64_t k = 1; k <= half_ / 2; ++k) {
    const T* a = at(k);
    const T* b = at(half_ - k);
    const FftPart<T>& w = roots_[static_cast<size_t>(k)];
    const T even_re = half * (a[0] + b[0]);
    const T even_im = half * (a[1] - b[1]);
    const T turned_re = half * (a[0] - b[0]);
    const T turned_im = half * (a[1] + b[1]);
    const T odd_re = turned_re * w.re + turned_im * w.im;
    const T odd_im = turned_im * w.re - turned_re * w.im;
    z[2 * (half_ - k)] = even_re + odd_im;
    z[2 * (half_ - k) + 1] = odd_re - even_im;
    z[2 * k] = even_re - odd_im;
    z[2 * k + 1] = even_im + odd_re;
  }
  transform_->Run(z, 1, to, 1, true, static_cast<uint8_t*>(scratch) + spectrum_bytes());
}

template class LongRealFft<float>;
template class LongRealFft<double>;
template class LongFft<float>;
template class LongFft<double>;

}  // namespace halo

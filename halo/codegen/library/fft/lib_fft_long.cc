// Element j of the line is at row j / columns and column j % columns. Element k of the result is at
// row k % rows of the output of the column transforms.
#include "halo/codegen/library/fft/lib_fft_long.h"

#include <algorithm>

#include "halo/codegen/library/lib_rows.h"

namespace halo {
namespace {

constexpr int64_t kShortest = 4096;
constexpr int64_t kFine = 1024;
constexpr int64_t kTile = 16;

}  // namespace

template <class T>
std::shared_ptr<const LongFft<T>> LongFft<T>::Make(int64_t n) {
  if (n < kShortest) return nullptr;
  int64_t rows = 1;
  for (int64_t d = 2; d * d <= n; ++d) {
    if (n % d == 0) rows = d;
  }
  if (rows < 2 * FftLanes<T>::kCount) return nullptr;
  return std::shared_ptr<const LongFft>(new LongFft(rows, n / rows));
}

template <class T>
LongFft<T>::LongFft(int64_t rows, int64_t columns)
    : rows_(rows), columns_(columns), down_(rows), along_(columns) {
  const int64_t n = rows * columns;
  for (int64_t k = 0; k < kFine; ++k) fine_.push_back(FftRoot<T>(k, n));
  for (int64_t k = 0; k <= n / kFine; ++k) coarse_.push_back(FftRoot<T>(k * kFine, n));
}

template <class T>
int64_t LongFft<T>::share_cells() const {
  return 2 * std::max(down_.workspace(), along_.workspace());
}

template <class T>
int64_t LongFft<T>::scratch_bytes() const {
  const auto matrix = static_cast<int64_t>(2 * sizeof(T)) * rows_ * columns_;
  return (matrix + 63) / 64 * 64 +
         TeamSize() * share_cells() * static_cast<int64_t>(sizeof(FftCell<T>));
}

template <class T>
void LongFft<T>::Columns(const T* from, int64_t step, bool inverse, int64_t first,
                         FftCell<T>* cells, T* to) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  const int64_t count = std::min(kLanes, columns_ - first);
  const int64_t re = inverse ? 1 : 0;
  for (int64_t j = 0; j < rows_; ++j) {
    const T* at = from + (j * columns_ + first) * 2 * step;
    FftCell<T> cell = {};
    for (int64_t l = 0; l < count; ++l) {
      cell.re[l] = at[2 * l * step + re];
      cell.im[l] = at[2 * l * step + 1 - re];
    }
    cells[j] = cell;
  }
  const FftCell<T>* done = down_.Run(cells, cells + share_cells() / 2);
  for (int64_t k = 0; k < rows_; ++k) {
    T* row = to + (k * columns_ + first) * 2;
    for (int64_t l = 0; l < count; ++l) {
      const int64_t power = k * (first + l);
      const FftPart<T>& a = coarse_[static_cast<size_t>(power / kFine)];
      const FftPart<T>& b = fine_[static_cast<size_t>(power % kFine)];
      const T root_re = a.re * b.re - a.im * b.im;
      const T root_im = a.re * b.im + a.im * b.re;
      row[2 * l] = done[k].re[l] * root_re - done[k].im[l] * root_im;
      row[2 * l + 1] = done[k].re[l] * root_im + done[k].im[l] * root_re;
    }
  }
}

template <class T>
void LongFft<T>::Rows(const T* from, bool inverse, int64_t first, FftCell<T>* cells, T* to,
                      int64_t step) const {
  constexpr int64_t kLanes = FftLanes<T>::kCount;
  const int64_t count = std::min(kLanes, rows_ - first);
  T* parts = reinterpret_cast<T*>(cells);
  if (count < kLanes) std::fill_n(parts, columns_ * 2 * kLanes, T{0});
  for (int64_t begin = 0; begin < columns_; begin += kTile) {
    const int64_t end = std::min(begin + kTile, columns_);
    for (int64_t l = 0; l < count; ++l) {
      const T* row = from + (first + l) * columns_ * 2;
      for (int64_t j = begin; j < end; ++j) {
        parts[j * 2 * kLanes + l] = row[2 * j];
        parts[j * 2 * kLanes + kLanes + l] = row[2 * j + 1];
      }
    }
  }
  const FftCell<T>* done = along_.Run(cells, cells + share_cells() / 2);
  const T scale = inverse ? T{1} / static_cast<T>(rows_ * columns_) : T{1};
  const int64_t re = inverse ? 1 : 0;
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
  T* matrix = static_cast<T*>(scratch);
  const int64_t matrix_bytes =
      (static_cast<int64_t>(2 * sizeof(T)) * rows_ * columns_ + 63) / 64 * 64;
  auto* cells = reinterpret_cast<FftCell<T>*>(static_cast<uint8_t*>(scratch) + matrix_bytes);
  const auto each = [&](int64_t lines, const auto& body) {
    const int64_t blocks = (lines + kLanes - 1) / kLanes;
    const int64_t shares = std::min<int64_t>(TeamSize(), blocks);
    ForShares(blocks, shares, [&](int64_t share, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i * kLanes, cells + share * share_cells());
    });
  };
  each(columns_, [&](int64_t first, FftCell<T>* own) {
    Columns(from, from_step, inverse, first, own, matrix);
  });
  each(rows_,
       [&](int64_t first, FftCell<T>* own) { Rows(matrix, inverse, first, own, to, to_step); });
}

template class LongFft<float>;
template class LongFft<double>;

}  // namespace halo

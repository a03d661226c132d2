// The transform of one line, a long one on all threads: the line is treated as a matrix whose
// columns, and then rows, are transformed many at once, with multiplications by roots of unity in
// between.
#ifndef HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LONG_H_
#define HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LONG_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "halo/codegen/library/fft/lib_fft_lines.h"

namespace halo {

template <class T>
class LongFft {
 public:
  // Null if the length is short or has no two factors of about the same size.
  static std::shared_ptr<const LongFft> Make(int64_t n);

  [[nodiscard]] int64_t scratch_bytes() const;
  // Steps are in complex numbers. Inverse transforms are scaled.
  void Run(const T* from, int64_t from_step, T* to, int64_t to_step, bool inverse,
           void* scratch) const;

 private:
  LongFft(int64_t rows, int64_t columns);
  [[nodiscard]] int64_t share_cells() const;
  // Between the transforms, the matrix is [block of columns][row], a column in each lane.
  [[nodiscard]] int64_t padded_rows() const;
  [[nodiscard]] int64_t matrix_cells() const;
  // The root of unity between the transforms of columns and rows.
  [[nodiscard]] FftPart<T> RootAt(int64_t row, int64_t column) const;
  void Columns(const T* from, int64_t step, bool inverse, int64_t first, FftCell<T>* cells,
               FftCell<T>* to) const;
  void Rows(const FftCell<T>* from, bool inverse, int64_t first, FftCell<T>* cells, T* to,
            int64_t step) const;

  int64_t rows_, columns_;
  int64_t shares_;  // of the scratch memory; the team may grow before the transform runs
  FftLines<T> down_, along_;
  std::vector<FftCell<T>> roots_;          // [block of columns][row], unless the line is very long
  std::vector<FftPart<T>> coarse_, fine_;  // then, roots of the whole length as products of two
};

// The transform of one real line of even length, and its inverse, by a complex one of half the
// length. Real lines are contiguous; spectra have half the length and one more element.
template <class T>
class LongRealFft {
 public:
  // Null if LongFft does not transform half the length.
  static std::shared_ptr<const LongRealFft> Make(int64_t n);

  [[nodiscard]] int64_t scratch_bytes() const;
  void Forward(const T* from, T* to, int64_t to_step, void* scratch) const;
  void Inverse(const T* from, int64_t from_step, T* to, void* scratch) const;

 private:
  LongRealFft(int64_t half, std::shared_ptr<const LongFft<T>> transform);
  [[nodiscard]] int64_t spectrum_bytes() const;

  int64_t half_;
  std::shared_ptr<const LongFft<T>> transform_;
  std::vector<FftPart<T>> roots_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LONG_H_

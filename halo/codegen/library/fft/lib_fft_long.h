// The transform of one long line on all threads: the line is treated as a matrix whose columns, and
// then rows, are transformed many at once, with multiplications by roots of unity in between.
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
  void Columns(const T* from, int64_t step, bool inverse, int64_t first, FftCell<T>* cells,
               T* to) const;
  void Rows(const T* from, bool inverse, int64_t first, FftCell<T>* cells, T* to,
            int64_t step) const;

  int64_t rows_, columns_;
  FftLines<T> down_, along_;
  std::vector<FftPart<T>> coarse_, fine_;  // roots of the whole length, as products of two
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LONG_H_

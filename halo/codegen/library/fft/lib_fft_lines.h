// Fourier transforms of one length, many lines at once: each vector holds one element of as many
// lines as it has lanes, so that every length vectorizes equally well.
#ifndef HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LINES_H_
#define HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LINES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "halo/codegen/library/fft/lib_fft_cells.h"

namespace halo {

template <class T>
struct FftPart {
  T re = 0, im = 0;
};

// exp(-2 pi i k / n)
template <class T>
FftPart<T> FftRoot(int64_t k, int64_t n);

// Forward transforms without scaling, for f32 and f64.
template <class T>
class FftLines {
 public:
  explicit FftLines(int64_t n);

  [[nodiscard]] int64_t length() const { return n_; }
  // The number of cells that each of the two buffers of Run must have.
  [[nodiscard]] int64_t workspace() const { return inner_ == nullptr ? n_ : inner_->n_; }
  // The lines are the first `length` cells of `x`. Returns the buffer that holds the result, `x` or
  // `y`.
  FftCell<T>* Run(FftCell<T>* x, FftCell<T>* y) const;

 private:
  struct Stage {
    int64_t radix = 1, groups = 1, step = 1;  // groups of `radix` cells, `step` lines of each
    std::vector<FftPart<T>> twiddles;         // [group][1 .. radix)
    std::vector<FftPart<T>> roots;            // of a radix without a dedicated formula
  };

  int64_t n_;
  std::vector<Stage> stages_;
  // Lengths with large prime factors use power-of-two convolutions (Bluestein's algorithm).
  std::unique_ptr<FftLines> inner_;
  std::vector<FftPart<T>> chirp_, kernel_;
};

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_FFT_LIB_FFT_LINES_H_

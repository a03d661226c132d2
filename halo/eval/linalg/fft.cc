// fft: discrete Fourier transforms of the last one to three dimensions, of any length, computed in
// double. Lengths that are powers of two use radix 2; others become a convolution of such a length
// (Bluestein's algorithm), so the work is n log n for primes, too.
#include <bit>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "halo/eval/context/converted.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/eval/context/ops.h"

namespace halo {

namespace {

using Complex = std::complex<double>;

// Returns exp(-2 pi i k / n), computed relative to the nearest eighth of the circle so that simple
// angles are exact.
Complex Root(uint64_t k, uint64_t n) {
  const uint64_t eighth = (8 * (k % n) + n / 2) / n % 8;
  const double turn =
      (static_cast<double>(8 * (k % n)) - static_cast<double>((8 * (k % n) + n / 2) / n * n)) /
      static_cast<double>(n);  // in eighths of the circle
  const double angle = turn * (std::numbers::pi / 4);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  const double h = std::numbers::sqrt2 / 2;
  switch (eighth) {
    case 0: return {c, -s};
    case 1: return {h * (c - s), -h * (c + s)};
    case 2: return {-s, -c};
    case 3: return {-h * (c + s), -h * (c - s)};
    case 4: return {-c, s};
    case 5: return {-h * (c - s), h * (c + s)};
    case 6: return {s, c};
    default: return {h * (c + s), h * (c - s)};
  }
}

// Transforms of one length, in place; forward, without scaling.
class Transform {
 public:
  explicit Transform(size_t n) : n_(n) {
    if ((n & (n - 1)) == 0) {
      for (size_t k = 0; k < n / 2; ++k) roots_.push_back(Root(k, n));
      return;
    }
    size_t padded = 1;
    while (padded < 2 * n) padded *= 2;
    inner_ = std::make_unique<Transform>(padded);
    chirp_.resize(n);
    kernel_.assign(padded, Complex());
    for (size_t k = 0; k < n; ++k) {
      chirp_[k] = Root(k * k % (2 * n), 2 * n);
      kernel_[k] = std::conj(chirp_[k]);
      if (k > 0) kernel_[padded - k] = kernel_[k];
    }
    inner_->Forward(kernel_.data());
  }

  void Forward(Complex* data) {
    if (inner_ != nullptr) return ByConvolution(data);
    for (size_t i = 1, j = 0; i < n_; ++i) {
      size_t bit = n_ >> 1;
      for (; (j & bit) != 0; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(data[i], data[j]);
    }
    for (size_t half = 1; half < n_; half *= 2) {
      const size_t step = n_ / (2 * half);
      for (size_t base = 0; base < n_; base += 2 * half) {
        for (size_t k = 0; k < half; ++k) {
          const Complex odd = Times(data[base + half + k], roots_[k * step]);
          data[base + half + k] = data[base + k] - odd;
          data[base + k] += odd;
        }
      }
    }
  }

 private:
  // Skips std::complex's handling of infinities, which costs a call.
  static Complex Times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  void ByConvolution(Complex* data) {
    const size_t padded = kernel_.size();
    padded_data_.assign(padded, Complex());
    for (size_t k = 0; k < n_; ++k) padded_data_[k] = Times(data[k], chirp_[k]);
    inner_->Forward(padded_data_.data());
    // Computes the inverse as the conjugate of a forward transform.
    for (size_t k = 0; k < padded; ++k)
      padded_data_[k] = std::conj(Times(padded_data_[k], kernel_[k]));
    inner_->Forward(padded_data_.data());
    const double scale = 1.0 / static_cast<double>(padded);
    for (size_t k = 0; k < n_; ++k) data[k] = Times(std::conj(padded_data_[k]) * scale, chirp_[k]);
  }

  size_t n_;
  std::vector<Complex> roots_;
  std::unique_ptr<Transform> inner_;
  std::vector<Complex> chirp_, kernel_, padded_data_;
};

// Transforms all lines of an array along one dimension. Inverse transforms are conjugated, scaled
// forward ones.
std::optional<Diagnostic> Along(const OpContext& cx, Array& array, size_t dim, bool inverse) {
  const size_t n = static_cast<size_t>(array.dim(dim));
  if (array.count() == 0) return std::nullopt;
  if (auto over = cx.CheckBudget(static_cast<int64_t>(n) * 16 * 12)) return over;
  if (auto over = cx.Spend(array.count() * static_cast<int64_t>(std::bit_width(n) + 1)))
    return over;
  size_t stride = 1;
  for (size_t i = dim + 1; i < array.rank(); ++i) stride *= static_cast<size_t>(array.dim(i));
  Transform transform(n);
  std::vector<Complex> line(n);
  Complex* data = array.Mutable<Complex>().data();
  const size_t lines = static_cast<size_t>(array.count()) / n;
  const double scale = inverse ? 1.0 / static_cast<double>(n) : 1.0;
  for (size_t l = 0; l < lines; ++l) {
    Complex* at = data + l / stride * stride * n + l % stride;
    for (size_t i = 0; i < n; ++i) line[i] = inverse ? std::conj(at[i * stride]) : at[i * stride];
    transform.Forward(line.data());
    for (size_t i = 0; i < n; ++i) at[i * stride] = inverse ? std::conj(line[i]) * scale : line[i];
  }
  return std::nullopt;
}

// Returns the lines with another length: truncated, or extended by conjugate symmetry.
Array Resized(const OpContext& cx, const Array& array, int64_t length) {
  Dims dims(array.dims().begin(), array.dims().end());
  const int64_t old_length = dims.back();
  dims.back() = length;
  Array result = cx.Make(ElementType::kC128, dims);
  const Complex* from = array.as<Complex>().data();
  Complex* to = result.Mutable<Complex>().data();
  const int64_t lines = length == 0 ? 0 : result.count() / length;
  for (int64_t l = 0; l < lines; ++l) {
    for (int64_t i = 0; i < length; ++i) {
      const int64_t mirrored = length - i;
      if (i < old_length) {
        to[l * length + i] = from[l * old_length + i];
      } else if (mirrored < old_length) {
        to[l * length + i] = std::conj(from[l * old_length + mirrored]);
      }
    }
  }
  return result;
}

}  // namespace

Result<Value> EvalFft(OpContext& cx) {
  const std::string_view kind = cx.text(AttrKey::k_fft_type);
  const std::span<const int64_t> lengths = cx.ints(AttrKey::k_fft_length);
  const bool inverse = kind == "IFFT" || kind == "IRFFT";
  const Array& operand = cx.array(0);
  if (lengths.empty() || lengths.size() > operand.rank()) {
    return cx.Fail(diag::kCannotEvaluate, "fft_length does not fit the operand's rank");
  }
  if (auto over = cx.CheckBudget((operand.count() + ElementsIn(cx.dims())) * 32))
    return *std::move(over);
  Array work = Converted(cx, operand, ElementType::kC128);
  const size_t last = operand.rank() - 1;
  const size_t first = operand.rank() - lengths.size();
  if (!inverse) {
    if (auto error = Along(cx, work, last, false)) return *std::move(error);
    if (kind == "RFFT") work = Resized(cx, work, cx.dims()[last]);
  }
  for (size_t dim = last; dim-- > first;) {
    if (auto error = Along(cx, work, dim, inverse)) return *std::move(error);
  }
  if (inverse) {
    if (kind == "IRFFT") work = Resized(cx, work, cx.dims()[last]);
    if (auto error = Along(cx, work, last, true)) return *std::move(error);
  }
  return Value(Converted(cx, work, cx.type()));
}

}  // namespace halo

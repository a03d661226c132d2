// Activation functions that library calls apply to a result before they store it.
#ifndef HALO_EVAL_CALLS_ACTIVATIONS_H_
#define HALO_EVAL_CALLS_ACTIVATIONS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace halo {

enum class Activation : uint8_t {
  kNone,
  kRelu,
  kRelu6,
  kGeluTanh,
  kGeluErf,
  kSilu,
  kSigmoid,
  kTanh,
  kElu,
  kLeakyRelu
};

// `slope` is the factor that leaky_relu applies to negative numbers, and the alpha of elu.
inline double Activate(Activation activation, double x, double slope = 0) {
  switch (activation) {
    case Activation::kNone: return x;
    case Activation::kRelu: return x < 0 ? 0 : x;
    case Activation::kRelu6: return x < 0 ? 0 : x > 6 ? 6 : x;
    case Activation::kGeluTanh:
      return 0.5 * x *
             (1 + std::tanh(std::numbers::sqrt2 * std::numbers::inv_sqrtpi *
                            (x + 0.044715 * x * x * x)));
    case Activation::kGeluErf: return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2));
    case Activation::kSilu: return x / (1 + std::exp(-x));
    case Activation::kSigmoid: return 1 / (1 + std::exp(-x));
    case Activation::kTanh: return std::tanh(x);
    case Activation::kElu: return x < 0 ? slope * std::expm1(x) : x;
    case Activation::kLeakyRelu: return x < 0 ? slope * x : x;
  }
  return x;
}

}  // namespace halo

#endif  // HALO_EVAL_CALLS_ACTIVATIONS_H_

// Every function with an exponential is written in terms of 1 / (1 + exp(-x)), so that nothing
// cancels.
#include "halo/codegen/library/lib_activations.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

// exp by scaling with a power of two and a polynomial on [-ln2/2, ln2/2].
HALO_INLINE float Exp(float x) {
  x = x < -104.0F ? -104.0F : x;
  x = x > 89.0F ? 89.0F : x;
  constexpr float kRounder = 12582912.0F;  // adding it leaves the nearest integer in the low bits
  const float shifted = x * std::numbers::log2e_v<float> + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * 0.693359375F) - n * -2.12194440e-4F;
  float p = 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 0.5F;
  p = p * r * r + r + 1.0F;
  // In two steps: 2^n alone may be outside the range of f32 while the product is not.
  const int32_t power = std::bit_cast<int32_t>(shifted) - std::bit_cast<int32_t>(kRounder);
  const int32_t half = power >> 1;
  const auto two_to = [](int32_t e) {
    return std::bit_cast<float>(static_cast<uint32_t>(e + 127) << 23);
  };
  return p * two_to(half) * two_to(power - half);
}

HALO_INLINE float Sigmoid(float x) { return 1.0F / (1.0F + Exp(-x)); }

void Relu(float* values, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) values[i] = values[i] < 0 ? 0 : values[i];
  });
}
void Silu(float* values, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) values[i] = values[i] / (1.0F + Exp(-values[i]));
  });
}
void SigmoidRun(float* values, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    for (int64_t i = 0; i < n; ++i) values[i] = Sigmoid(values[i]);
  });
}
// 0.5 x (1 + tanh y) equals x times the sigmoid of 2 y.
void GeluTanh(float* values, int64_t n) {
  ForCpu([=](auto) HALO_INLINED {
    constexpr auto kTwice = static_cast<float>(2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
    for (int64_t i = 0; i < n; ++i) {
      const float x = values[i];
      values[i] = x / (1.0F + Exp(-kTwice * (x + 0.044715F * x * x * x)));
    }
  });
}

}  // namespace

void ActivateRun(Activation activation, double slope, double* values, int64_t n) {
  if (activation == Activation::kNone) return;
  for (int64_t i = 0; i < n; ++i) values[i] = Activate(activation, values[i], slope);
}

void ActivateRun(Activation activation, double slope, float* values, int64_t n) {
  switch (activation) {
    case Activation::kNone: return;
    case Activation::kRelu: return Relu(values, n);
    case Activation::kSilu: return Silu(values, n);
    case Activation::kSigmoid: return SigmoidRun(values, n);
    case Activation::kGeluTanh: return GeluTanh(values, n);
    default:
      for (int64_t i = 0; i < n; ++i) {
        values[i] = static_cast<float>(Activate(activation, values[i], slope));
      }
  }
}

}  // namespace halo

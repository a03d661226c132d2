// The configuration of cuBLAS matrix products: dimension numbers, scalars, what is applied to the
// sums before they are stored, and the role of each operand.
#ifndef HALO_EVAL_CALLS_GEMM_CONFIG_H_
#define HALO_EVAL_CALLS_GEMM_CONFIG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/eval/calls/activations.h"
#include "halo/eval/linalg/dot.h"

namespace halo {

struct GemmEpilogue {
  bool bias = false;
  bool aux = false;  // also yields the input of the activation
  Activation activation = Activation::kNone;
};

struct GemmConfig {
  // The matrices as they are multiplied. Where only one operand has batch dimensions, the other is
  // used for each of its matrices, as if these dimensions preceded its own.
  DotDims dims;
  std::vector<int64_t> lhs, rhs;
  double alpha = 1, alpha_imaginary = 0, beta = 0;
  GemmEpilogue epilogue;
  bool damax = false;
  // Operand numbers. Scales are present for fp8 only.
  std::optional<size_t> matrix, bias, lhs_scale, rhs_scale, result_scale;
};

struct GemmOperands {
  std::span<const int64_t> lhs, rhs;  // their dimensions
  size_t count = 0;
  bool scaled = false;         // the target takes scales
  bool scaled_result = false;  // the result is fp8, too
};

// Returns nothing and sets `wrong` if the configuration does not match the operands.
std::optional<GemmConfig> ReadGemmConfig(const JsonValue& config, const GemmOperands& operands,
                                         std::string& wrong);

// Returns the product's dimensions: batch, free dimensions of lhs, free dimensions of rhs.
std::vector<int64_t> ProductDims(std::span<const int64_t> lhs, std::span<const int64_t> rhs,
                                 const DotDims& dims);

}  // namespace halo

#endif  // HALO_EVAL_CALLS_GEMM_CONFIG_H_

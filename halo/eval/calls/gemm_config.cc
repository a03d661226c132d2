// The operands after the two matrices are, in order: the matrix to add if beta is not zero, for fp8
// the scales of lhs and rhs, the bias, and last the scale of the result.
#include "halo/eval/calls/gemm_config.h"

#include <algorithm>

#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

std::optional<GemmEpilogue> EpilogueFromText(std::string_view text) {
  GemmEpilogue out;
  if (text.empty() || text == "DEFAULT") return out;
  if (text.starts_with("BIAS")) {
    out.bias = true;
    text.remove_prefix(4);
    if (text.empty()) return out;
    if (text.front() != '_') return std::nullopt;
    text.remove_prefix(1);
  }
  if (text.ends_with("_AUX")) {
    out.aux = true;
    text.remove_suffix(4);
  }
  if (text == "RELU") {
    out.activation = Activation::kRelu;
  } else if (text == "GELU") {
    out.activation = Activation::kGeluTanh;
  } else if (text == "SILU") {
    out.activation = Activation::kSilu;
  } else {
    return std::nullopt;
  }
  return out;
}

// A matrix without batch dimensions gets those of the other operand in front. Returns false if it
// has too many elements then.
bool Repeat(std::vector<int64_t>& dims, std::vector<int64_t>& batch,
            std::vector<int64_t>& contracting, std::span<const int64_t> other,
            std::span<const int64_t> other_batch) {
  if (!batch.empty() || other_batch.empty()) return true;
  const auto count = static_cast<int64_t>(other_batch.size());
  for (int64_t& dim : contracting) dim += count;
  for (int64_t i = 0; i < count; ++i) {
    batch.push_back(i);
    dims.insert(dims.begin() + i, other[static_cast<size_t>(other_batch[static_cast<size_t>(i)])]);
  }
  int64_t elements = 1;
  return std::ranges::none_of(
      dims, [&](int64_t size) { return __builtin_mul_overflow(elements, size, &elements); });
}

// Returns false if a scale is missing.
bool NumberOperands(const GemmOperands& operands, GemmConfig& gemm) {
  size_t next = 2;
  if (gemm.beta != 0) gemm.matrix = next++;
  if (operands.scaled) {
    if (operands.count < next + 2) return false;
    gemm.lhs_scale = next++;
    gemm.rhs_scale = next++;
  }
  if (gemm.epilogue.bias) gemm.bias = next++;
  if (operands.scaled && operands.scaled_result && operands.count > next) {
    gemm.result_scale = operands.count - 1;
  }
  return true;
}

}  // namespace

std::optional<GemmConfig> ReadGemmConfig(const JsonValue& config, const GemmOperands& operands,
                                         std::string& wrong) {
  const JsonValue& nested = config["gemm_backend_config"];
  const JsonValue& fields = nested.is_object() ? nested : config;
  GemmConfig gemm;
  auto dims = ParseDotDims(fields["dot_dimension_numbers"], operands.lhs, operands.rhs);
  if (!dims) {
    wrong = "its dimension numbers do not suit its operands";
    return std::nullopt;
  }
  gemm.dims = *std::move(dims);
  gemm.lhs.assign(operands.lhs.begin(), operands.lhs.end());
  gemm.rhs.assign(operands.rhs.begin(), operands.rhs.end());
  if (!Repeat(gemm.lhs, gemm.dims.lhs_batch, gemm.dims.lhs_contracting, operands.rhs,
              gemm.dims.rhs_batch) ||
      !Repeat(gemm.rhs, gemm.dims.rhs_batch, gemm.dims.rhs_contracting, operands.lhs,
              gemm.dims.lhs_batch)) {
    wrong = "its operands are too large";
    return std::nullopt;
  }
  gemm.alpha = fields["alpha_real"].AsDouble(0);
  gemm.alpha_imaginary = fields["alpha_imag"].AsDouble(0);
  gemm.beta = fields["beta"].AsDouble(0);
  gemm.damax = fields["damax_output"].AsBool(false);
  const auto epilogue = EpilogueFromText(fields["epilogue"].AsString());
  if (!epilogue) {
    wrong = "unknown epilogue " + std::string(fields["epilogue"].AsString());
    return std::nullopt;
  }
  gemm.epilogue = *epilogue;
  if (!NumberOperands(operands, gemm)) {
    wrong = "takes a scale for each of its operands";
    return std::nullopt;
  }
  for (const auto& operand : {gemm.matrix, gemm.bias}) {
    if (operand && *operand >= operands.count) {
      wrong = "its configuration asks for more operands than it has";
      return std::nullopt;
    }
  }
  return gemm;
}

std::vector<int64_t> ProductDims(std::span<const int64_t> lhs, std::span<const int64_t> rhs,
                                 const DotDims& dims) {
  std::vector<int64_t> out;
  for (const int64_t d : dims.lhs_batch) out.push_back(lhs[static_cast<size_t>(d)]);
  const auto append_free = [&](std::span<const int64_t> side, std::span<const int64_t> batch,
                               std::span<const int64_t> contracting) {
    for (size_t d = 0; d < side.size(); ++d) {
      const auto number = static_cast<int64_t>(d);
      if (std::ranges::find(batch, number) != batch.end()) continue;
      if (std::ranges::find(contracting, number) != contracting.end()) continue;
      out.push_back(side[d]);
    }
  };
  append_free(lhs, dims.lhs_batch, dims.lhs_contracting);
  append_free(rhs, dims.rhs_batch, dims.rhs_contracting);
  return out;
}

}  // namespace halo

// cuBLAS matrix products: D = epilogue(alpha * scales * lhs·rhs + beta * C + bias). Configurations
// speak of logical dimensions, so layouts play no part. Everything up to the rounding to D is in
// double.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/activations.h"
#include "halo/eval/call_support.h"
#include "halo/eval/custom_calls.h"
#include "halo/eval/dot.h"
#include "halo/eval/lanes.h"

namespace halo {
namespace {

struct Epilogue {
  bool bias = false;
  bool aux = false;  // also yields what went into the activation
  Activation activation = Activation::kNone;
};

std::optional<Epilogue> EpilogueFromText(std::string_view text) {
  Epilogue out;
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

// One call: its configuration and which operand is what.
struct Gemm {
  DotDims dims;
  Complex alpha;
  double beta = 0;
  Epilogue epilogue;
  bool damax = false;
  double scale = 1;         // of both operands, fp8 only
  double result_scale = 1;  // of D, fp8 only
  std::optional<size_t> matrix, bias;
};

bool IsFp8(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits == 8;
}

double ScalarAt(const OpContext& cx, size_t operand) {
  const Array& array = cx.array(operand);
  return array.count() == 0 ? 1.0 : LoadFloat(array.type(), array.bytes());
}

// Scales stand after the matrices: lhs, rhs, then the bias vector, and last the result's.
std::optional<Diagnostic> ReadScales(const OpContext& cx, size_t next, Gemm& gemm) {
  const size_t count = cx.operands.size();
  const std::vector<ShapeId> parts = ResultParts(cx);
  const bool scaled_result = IsFp8(cx.module.shapes.type(parts[0]));
  const size_t used = next + 2 + (gemm.epilogue.bias ? 1 : 0) + (scaled_result ? 1 : 0);
  if (count < next + 2) return BadCall(cx, "takes a scale for each of its operands");
  gemm.scale = ScalarAt(cx, next) * ScalarAt(cx, next + 1);
  if (gemm.epilogue.bias) gemm.bias = next + 2;
  if (scaled_result && count >= used) gemm.result_scale = ScalarAt(cx, count - 1);
  return std::nullopt;
}

Result<Gemm> ReadGemm(const OpContext& cx, bool fp8) {
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  const JsonValue& nested = (*config)["gemm_backend_config"];
  const JsonValue& fields = nested.is_object() ? nested : *config;
  Gemm gemm;
  Result<DotDims> dims = ReadDotDims(cx, fields["dot_dimension_numbers"], cx.array(0), cx.array(1));
  if (!dims) return dims.error();
  gemm.dims = *std::move(dims);
  gemm.alpha = {fields["alpha_real"].AsDouble(0), fields["alpha_imag"].AsDouble(0)};
  gemm.beta = fields["beta"].AsDouble(0);
  gemm.damax = fields["damax_output"].AsBool(false);
  const auto epilogue = EpilogueFromText(fields["epilogue"].AsString());
  if (!epilogue) {
    return BadCall(cx, "unknown epilogue " + std::string(fields["epilogue"].AsString()));
  }
  gemm.epilogue = *epilogue;
  size_t next = 2;
  if (gemm.beta != 0) gemm.matrix = next++;
  if (fp8) {
    if (auto bad = ReadScales(cx, next, gemm)) return *std::move(bad);
  } else if (gemm.epilogue.bias) {
    gemm.bias = next;
  }
  for (const auto& operand : {gemm.matrix, gemm.bias}) {
    if (operand && *operand >= cx.operands.size()) {
      return BadCall(cx, "its configuration asks for more operands than it has");
    }
  }
  return gemm;
}

Dims ProductDims(const Array& lhs, const Array& rhs, const DotDims& dims) {
  Dims out;
  for (const int64_t d : dims.lhs_batch) out.push_back(lhs.dim(static_cast<size_t>(d)));
  const auto append_free = [&](const Array& side, std::span<const int64_t> batch,
                               std::span<const int64_t> contracting) {
    for (size_t d = 0; d < side.rank(); ++d) {
      const auto number = static_cast<int64_t>(d);
      if (std::ranges::find(batch, number) != batch.end()) continue;
      if (std::ranges::find(contracting, number) != contracting.end()) continue;
      out.push_back(side.dim(d));
    }
  };
  append_free(lhs, dims.lhs_batch, dims.lhs_contracting);
  append_free(rhs, dims.rhs_batch, dims.rhs_contracting);
  return out;
}

// alpha * product + beta * C + bias, before the activation.
Result<std::vector<double>> Accumulate(const OpContext& cx, const Gemm& gemm,
                                       const Array& product) {
  Result<std::vector<double>> out = LoadDoubles(cx, product);
  if (!out) return out;
  const double alpha = gemm.alpha.real() * gemm.scale;
  for (double& value : *out) value *= alpha;
  if (gemm.matrix) {
    const Array& matrix = cx.array(*gemm.matrix);
    if (!std::ranges::equal(matrix.dims(), product.dims())) {
      return BadCall(cx, "the matrix to be added has other dimensions than the product");
    }
    Result<std::vector<double>> addend = LoadDoubles(cx, matrix);
    if (!addend) return addend;
    for (size_t i = 0; i < out->size(); ++i) (*out)[i] += gemm.beta * (*addend)[i];
  }
  if (gemm.bias) {
    Result<std::vector<double>> bias = LoadDoubles(cx, cx.array(*gemm.bias));
    if (!bias) return bias;
    if (bias->empty() ? !out->empty() : out->size() % bias->size() != 0) {
      return BadCall(cx, "the bias does not fit the product's last dimensions");
    }
    for (size_t i = 0; i < out->size(); ++i) (*out)[i] += (*bias)[i % bias->size()];
  }
  return out;
}

Result<Value> ComplexGemm(const OpContext& cx, const Gemm& gemm, const Array& product) {
  Result<std::vector<Complex>> out = LoadComplexes(cx, product);
  if (!out) return out.error();
  for (Complex& value : *out) value *= gemm.alpha;
  if (gemm.matrix) {
    Result<std::vector<Complex>> addend = LoadComplexes(cx, cx.array(*gemm.matrix));
    if (!addend) return addend.error();
    if (addend->size() != out->size()) return BadCall(cx, "the matrix to be added does not fit");
    for (size_t i = 0; i < out->size(); ++i) (*out)[i] += gemm.beta * (*addend)[i];
  }
  return FinishCall(cx, {StoreComplexes(cx, ElementType::kC128, product.dims(), *out)});
}

Result<Value> RealGemm(const OpContext& cx, const Gemm& gemm, const Array& product) {
  Result<std::vector<double>> sums = Accumulate(cx, gemm, product);
  if (!sums) return sums.error();
  std::vector<Array> parts(1);
  double largest = 0;
  const Array before =
      gemm.epilogue.aux ? StoreDoubles(cx, ElementType::kF64, product.dims(), *sums) : Array();
  for (double& value : *sums) {
    value = Activate(gemm.epilogue.activation, value);
    largest = std::isnan(value) ? value : std::max(largest, std::abs(value));
    value *= gemm.result_scale;
  }
  parts[0] = StoreDoubles(cx, ElementType::kF64, product.dims(), *sums);
  if (gemm.epilogue.aux) parts.push_back(before);
  if (gemm.damax) parts.push_back(StoreDoubles(cx, ElementType::kF64, {}, {&largest, 1}));
  return FinishCall(cx, std::move(parts));
}

Result<Value> GemmCall(OpContext& cx, bool fp8) {
  if (auto bad = NeedArrays(cx, std::max<size_t>(2, cx.operands.size()))) return *std::move(bad);
  Result<Gemm> gemm = ReadGemm(cx, fp8);
  if (!gemm) return gemm.error();
  const Array& lhs = cx.array(0);
  const Array& rhs = cx.array(1);
  const ShapeId declared = ResultParts(cx)[0];
  if (!cx.module.shapes.is_array(declared) ||
      !std::ranges::equal(cx.module.shapes.dims(declared), ProductDims(lhs, rhs, gemm->dims))) {
    return BadCall(cx, "the declared result is not the product of its operands");
  }
  const ElementType type = cx.module.shapes.type(declared);
  const bool is_complex = LaneKindOf(type) == LaneKind::kComplex;
  const bool is_plain_integer = IsIntegerType(type) && gemm->alpha == 1.0 && !gemm->matrix &&
                                !gemm->bias && gemm->epilogue.activation == Activation::kNone;
  const ElementType sum_type = is_complex         ? ElementType::kC128
                               : is_plain_integer ? type
                                                  : ElementType::kF64;
  Result<Array> product = DotGeneral(cx, lhs, rhs, gemm->dims, sum_type);
  if (!product) return product.error();
  if (is_plain_integer) return FinishCall(cx, {*std::move(product)});
  return is_complex ? ComplexGemm(cx, *gemm, *product) : RealGemm(cx, *gemm, *product);
}

}  // namespace

void RegisterGemms(CustomCallRegistry& registry) {
  const auto plain = [](OpContext& cx) { return GemmCall(cx, false); };
  registry.Register("__cublas$gemm", plain);
  registry.Register("__cublas$lt$matmul", plain);
  registry.Register("__cublas$lt$matmul$f8", [](OpContext& cx) { return GemmCall(cx, true); });
}

}  // namespace halo

// cuBLAS matrix products: D = epilogue(alpha * scales * lhs·rhs + beta * C + bias). Configurations
// use logical dimensions, so layouts do not matter. Everything up to the rounding to D is computed
// in double.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/gemm_config.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/lanes/lanes.h"
#include "halo/eval/linalg/dot.h"

namespace halo {
namespace {

// One call: its configuration and the values of its scale operands.
struct Gemm : GemmConfig {
  explicit Gemm(GemmConfig config) : GemmConfig(std::move(config)) {}
  double scale = 1;         // product of both operand scales
  double result_value = 1;  // factor applied to D
};

bool IsFp8(ElementType type) {
  return InfoOf(type).klass == ElementClass::kFloat && InfoOf(type).bits == 8;
}

double ScalarAt(const OpContext& cx, size_t operand) {
  const Array& array = cx.array(operand);
  return array.count() == 0 ? 1.0 : LoadFloat(array.type(), array.bytes());
}

Result<Gemm> ReadGemm(const OpContext& cx, bool fp8) {
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  const bool scaled_result = fp8 && IsFp8(cx.module.shapes.type(cx.shape(0)));
  std::string wrong;
  auto read = ReadGemmConfig(*config,
                             {.lhs = cx.array(0).dims(),
                              .rhs = cx.array(1).dims(),
                              .count = cx.operands.size(),
                              .scaled = fp8,
                              .scaled_result = scaled_result},
                             wrong);
  if (!read) return BadCall(cx, wrong);
  Gemm gemm(*std::move(read));
  if (gemm.lhs_scale) gemm.scale = ScalarAt(cx, *gemm.lhs_scale) * ScalarAt(cx, *gemm.rhs_scale);
  if (gemm.result_scale) gemm.result_value = ScalarAt(cx, *gemm.result_scale);
  return gemm;
}

// Computes alpha * product + beta * C + bias, before the activation.
Result<std::vector<double>> Accumulate(const OpContext& cx, const Gemm& gemm,
                                       const Array& product) {
  Result<std::vector<double>> out = LoadDoubles(cx, product);
  if (!out) return out;
  const double alpha = gemm.alpha * gemm.scale;
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
  for (Complex& value : *out) value *= Complex(gemm.alpha, gemm.alpha_imaginary);
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
    value *= gemm.result_value;
  }
  parts[0] = StoreDoubles(cx, ElementType::kF64, product.dims(), *sums);
  if (gemm.epilogue.aux) parts.push_back(before);
  if (gemm.damax) parts.push_back(StoreDoubles(cx, ElementType::kF64, {}, {&largest, 1}));
  return FinishCall(cx, std::move(parts));
}

// The operand with these dimensions, of which the first may be missing: it is repeated then.
Result<Array> Repeated(const OpContext& cx, const Array& array, std::span<const int64_t> dims) {
  if (array.rank() == dims.size()) return array;
  const int64_t copies = ElementsIn(dims.first(dims.size() - array.rank()));
  const auto bytes = static_cast<int64_t>(array.byte_count());
  if (auto over = cx.CheckBudget(ProductOrMax({copies, bytes}))) return *std::move(over);
  Array out = cx.Make(array.type(), dims);
  uint8_t* to = out.MutableBytes();
  for (int64_t i = 0; i < copies && bytes > 0; ++i, to += bytes) {
    std::memcpy(to, array.bytes(), array.byte_count());
  }
  return out;
}

Result<Value> GemmCall(OpContext& cx, bool fp8) {
  if (auto bad = NeedArrays(cx, std::max<size_t>(2, cx.operands.size()))) return *std::move(bad);
  Result<Gemm> gemm = ReadGemm(cx, fp8);
  if (!gemm) return gemm.error();
  const ShapeId declared = cx.shape(0);
  if (!cx.module.shapes.is_array(declared) ||
      !std::ranges::equal(cx.module.shapes.dims(declared),
                          ProductDims(gemm->lhs, gemm->rhs, gemm->dims))) {
    return BadCall(cx, "the declared result is not the product of its operands");
  }
  const ElementType type = cx.module.shapes.type(declared);
  const bool is_complex = LaneKindOf(type) == LaneKind::kComplex;
  const bool is_plain_integer = IsIntegerType(type) && gemm->alpha == 1.0 &&
                                gemm->alpha_imaginary == 0 && !gemm->matrix && !gemm->bias &&
                                gemm->epilogue.activation == Activation::kNone;
  const ElementType sum_type = is_complex         ? ElementType::kC128
                               : is_plain_integer ? type
                                                  : ElementType::kF64;
  const Result<Array> lhs = Repeated(cx, cx.array(0), gemm->lhs);
  if (!lhs) return lhs.error();
  const Result<Array> rhs = Repeated(cx, cx.array(1), gemm->rhs);
  if (!rhs) return rhs.error();
  Result<Array> product = DotGeneral(cx, *lhs, *rhs, gemm->dims, sum_type);
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

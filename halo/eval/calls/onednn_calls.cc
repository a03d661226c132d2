// oneDNN primitives in XLA's CPU programs: matrix products with their fused post-operations,
// softmax and layer normalization.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/calls/activations.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/calls/onednn_config.h"
#include "halo/eval/linalg/dot.h"

namespace halo {
namespace {

// Adds an operand that is broadcast along dimensions of size one and along missing leading
// dimensions.
std::string_view AddBroadcast(const Dims& dims, std::span<const int64_t> addend_dims,
                              std::span<const double> addend, std::vector<double>& to) {
  if (addend_dims.size() > dims.size()) return "a fused operand has too many dimensions";
  const size_t missing = dims.size() - addend_dims.size();
  const Dims own = RowMajorStrides(addend_dims);
  Dims strides(dims.size());
  for (size_t i = 0; i < addend_dims.size(); ++i) {
    if (addend_dims[i] != 1 && addend_dims[i] != dims[missing + i]) {
      return "a fused operand does not fit the product";
    }
    strides[missing + i] = addend_dims[i] == 1 ? 0 : own[i];
  }
  if (to.empty()) return {};
  Dims index(dims.size());
  size_t at = 0;
  do {
    int64_t from = 0;
    for (size_t i = 0; i < dims.size(); ++i) from += index[i] * strides[i];
    to[at++] += addend[static_cast<size_t>(from)];
  } while (NextIndex(dims, index));
  return {};
}

std::optional<Diagnostic> ApplyFusions(const OpContext& cx, const JsonValue& fusions,
                                       const Dims& dims, std::vector<double>& values) {
  size_t next_operand = 2;
  const auto ops = ReadFusedOps(fusions);
  if (!ops) return BadCall(cx, "an unknown op is fused behind it");
  for (const OneDnnPostOp& op : *ops) {
    if (op.adds) {
      if (auto bad = NeedArrays(cx, next_operand + 1)) return bad;
      const Array& addend = cx.array(next_operand++);
      Result<std::vector<double>> loaded = LoadDoubles(cx, addend);
      if (!loaded) return loaded.error();
      const std::string_view wrong = AddBroadcast(dims, addend.dims(), *loaded, values);
      if (!wrong.empty()) return BadCall(cx, std::string(wrong));
      continue;
    }
    for (double& value : values) value = Activate(op.activation, value * op.factor, op.slope);
  }
  return std::nullopt;
}

Result<Value> MatMulCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 2)) return *std::move(bad);
  Result<JsonValue> read = ReadCallConfig(cx);
  if (!read) return read.error();
  const JsonValue& config = (*read)["onednn_matmul_config"];
  const Array& lhs = cx.array(0);
  const Array& rhs = cx.array(1);
  if (!AreOneDnnTypes({lhs.type(), rhs.type(), cx.module.shapes.type(cx.shape(0))})) {
    return BadCall(cx, "multiplies floats only");
  }
  if (config["optimization_config"]["weights_prepacked"].AsBool(false) || lhs.rank() < 2 ||
      rhs.rank() != lhs.rank()) {
    return BadCall(cx, "packed weights and operands of different rank are not known here");
  }
  const auto rank = static_cast<int64_t>(lhs.rank());
  DotDims dims;
  for (int64_t i = 0; i + 2 < rank; ++i) {
    dims.lhs_batch.push_back(i);
    dims.rhs_batch.push_back(i);
    if (lhs.dim(static_cast<size_t>(i)) != rhs.dim(static_cast<size_t>(i))) {
      return BadCall(cx, "its operands differ in their batches");
    }
  }
  dims.lhs_contracting = {config["transpose_a"].AsBool(false) ? rank - 2 : rank - 1};
  dims.rhs_contracting = {config["transpose_b"].AsBool(false) ? rank - 1 : rank - 2};
  if (lhs.dim(static_cast<size_t>(dims.lhs_contracting[0])) !=
      rhs.dim(static_cast<size_t>(dims.rhs_contracting[0]))) {
    return BadCall(cx, "its operands do not fit");
  }
  Result<Array> product = DotGeneral(cx, lhs, rhs, dims, ElementType::kF64);
  if (!product) return product.error();
  Result<std::vector<double>> values = LoadDoubles(cx, *product);
  if (!values) return values.error();
  const Dims out_dims(product->dims().begin(), product->dims().end());
  if (auto bad = ApplyFusions(cx, config["fusions"], out_dims, *values)) return *std::move(bad);
  return FinishCall(cx, {StoreDoubles(cx, ElementType::kF64, out_dims, *values)});
}

// Calls the visitor for each row of `length` elements that are `stride` apart, with the offset of
// the row's first element.
template <class Visit>
void ForEachRow(size_t count, size_t length, size_t stride, const Visit& visit) {
  if (count == 0 || length == 0) return;
  for (size_t outer = 0; outer < count; outer += length * stride) {
    for (size_t inner = 0; inner < stride; ++inner) visit(outer + inner);
  }
}

Result<Value> SoftmaxCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 1)) return *std::move(bad);
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  const Array& array = cx.array(0);
  const int64_t axis = (*config)["onednn_softmax_config"]["softmax_axis"].AsInt(0);
  if (axis < 0 || axis >= static_cast<int64_t>(array.rank()))
    return BadCall(cx, "has no such axis");
  Result<std::vector<double>> values = LoadDoubles(cx, array);
  if (!values) return values.error();
  const auto length = static_cast<size_t>(array.dim(static_cast<size_t>(axis)));
  const auto stride = static_cast<size_t>(RowMajorStrides(array.dims())[static_cast<size_t>(axis)]);
  ForEachRow(values->size(), length, stride, [&](size_t first) {
    double largest = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < length; ++i) largest = std::max(largest, (*values)[first + i * stride]);
    double sum = 0;
    for (size_t i = 0; i < length; ++i) {
      double& value = (*values)[first + i * stride];
      value = std::exp(value - largest);
      sum += value;
    }
    for (size_t i = 0; i < length; ++i) (*values)[first + i * stride] /= sum;
  });
  return FinishCall(cx, {StoreDoubles(cx, ElementType::kF64, array.dims(), *values)});
}

// Operands: the array, and the scale and shift of its last dimension.
Result<Value> LayerNormCall(OpContext& cx) {
  if (auto bad = NeedArrays(cx, 3)) return *std::move(bad);
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  const Array& array = cx.array(0);
  const auto bits =
      static_cast<int32_t>((*config)["onednn_layer_norm_config"]["epsilon_typecast"].AsInt(0));
  const double epsilon = std::bit_cast<float>(bits);
  Result<std::vector<double>> values = LoadDoubles(cx, array);
  Result<std::vector<double>> scale = LoadDoubles(cx, cx.array(1));
  Result<std::vector<double>> shift = LoadDoubles(cx, cx.array(2));
  if (!values) return values.error();
  if (!scale) return scale.error();
  if (!shift) return shift.error();
  const size_t length = array.rank() == 0 ? 0 : static_cast<size_t>(array.dim(array.rank() - 1));
  if (scale->size() != length || shift->size() != length) {
    return BadCall(cx, "its scale and shift are not of its last dimension's size");
  }
  ForEachRow(values->size(), length, 1, [&](size_t first) {
    double sum = 0;
    for (size_t i = 0; i < length; ++i) sum += (*values)[first + i];
    const double mean = sum / static_cast<double>(length);
    double squares = 0;
    for (size_t i = 0; i < length; ++i) {
      squares += ((*values)[first + i] - mean) * ((*values)[first + i] - mean);
    }
    const double norm = std::sqrt(squares / static_cast<double>(length) + epsilon);
    for (size_t i = 0; i < length; ++i) {
      double& value = (*values)[first + i];
      value = (value - mean) / norm * (*scale)[i] + (*shift)[i];
    }
  });
  return FinishCall(cx, {StoreDoubles(cx, ElementType::kF64, array.dims(), *values)});
}

}  // namespace

void RegisterOneDnn(CustomCallRegistry& registry) {
  registry.Register("__onednn$matmul", MatMulCall);
  registry.Register("__onednn$softmax", SoftmaxCall);
  registry.Register("__onednn$layernorm", LayerNormCall);
}

}  // namespace halo

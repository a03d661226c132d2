// cuDNN's fused attention as emitted for jax.nn.dot_product_attention. Operands are [B,T,N,H] or
// [B,N,T,H]; the dimension numbers of the first product tell which. Results are always [B,N,T,H].
// Dropout, packed segments, paged caches and fp8 are rejected.
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/calls/attention.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// Which dimensions of an array [B, x, y, H] hold positions and heads.
struct Axes {
  size_t position = 1, head = 2;
};
constexpr Axes kHeadsFirst = {2, 1};

AttentionRows CudnnRows(std::vector<double>& values, std::span<const int64_t> dims, Axes axes) {
  const Dims strides = RowMajorStrides(dims);
  return {&values, 0, strides[0], strides[axes.position], strides[axes.head]};
}

struct CudnnCall {
  AttentionSpec spec;
  Axes axes;
};

std::vector<int64_t> CountsOfLengths(const Array& lengths, int64_t batch, int64_t limit) {
  std::vector<int64_t> counts;
  if (lengths.count() < batch) return counts;
  for (int64_t b = 0; b < batch; ++b) {
    const auto offset = static_cast<size_t>(b) * lengths.element_bytes();
    counts.push_back(
        std::clamp<int64_t>(LoadInt(lengths.type(), lengths.bytes() + offset), 0, limit));
  }
  return counts;
}

std::optional<Diagnostic> ReadCudnnMask(const OpContext& cx, const JsonValue& fields,
                                        size_t lengths_at, AttentionSpec& spec) {
  const std::string_view mask = fields["mask_type"].AsString("NO_MASK");
  const bool padding = mask == "PADDING" || mask == "PADDING_CAUSAL";
  spec.causal = mask == "CAUSAL" || mask == "PADDING_CAUSAL";
  if (!padding && !spec.causal && mask != "NO_MASK") {
    return BadCall(cx, "the mask " + std::string(mask) + " is not known here");
  }
  const int64_t window = fields["sliding_window_length"].AsInt(0);
  if (window > 0 && window <= spec.keys) spec.window_left = window - 1;
  if (!padding) return std::nullopt;
  if (auto bad = NeedArrays(cx, lengths_at + 2)) return bad;
  spec.query_counts = CountsOfLengths(cx.array(lengths_at), spec.batch, spec.queries);
  spec.key_counts = CountsOfLengths(cx.array(lengths_at + 1), spec.batch, spec.keys);
  return std::nullopt;
}

std::optional<Diagnostic> ReadCudnnBias(const OpContext& cx, size_t bias_at, AttentionSpec& spec) {
  if (auto bad = NeedArrays(cx, bias_at + 1)) return bad;
  const Array& array = cx.array(bias_at);
  if (array.rank() != 4 || array.dim(2) != spec.queries || array.dim(3) != spec.keys ||
      (array.dim(0) != 1 && array.dim(0) != spec.batch) ||
      (array.dim(1) != 1 && array.dim(1) != spec.heads)) {
    return BadCall(cx, "its bias does not fit");
  }
  spec.bias_batch = array.dim(0);
  spec.bias_heads = array.dim(1);
  Result<std::vector<double>> bias = LoadDoubles(cx, array);
  if (!bias) return bias.error();
  spec.bias = *std::move(bias);
  return std::nullopt;
}

std::optional<Diagnostic> ReadSizes(const OpContext& cx, CudnnCall& call) {
  const Array& q = cx.array(0);
  const Array& k = cx.array(1);
  const Array& v = cx.array(2);
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) return BadCall(cx, "takes arrays of rank 4");
  const auto [position, head] = call.axes;
  AttentionSpec& spec = call.spec;
  spec.batch = q.dim(0);
  spec.heads = q.dim(head);
  spec.kv_heads = k.dim(head);
  spec.queries = q.dim(position);
  spec.keys = k.dim(position);
  spec.qk_size = q.dim(3);
  spec.v_size = v.dim(3);
  const bool fits = k.dim(0) == spec.batch && v.dim(0) == spec.batch &&
                    v.dim(head) == spec.kv_heads && v.dim(position) == spec.keys &&
                    k.dim(3) == spec.qk_size && spec.kv_heads > 0 && spec.heads > 0 &&
                    spec.heads % spec.kv_heads == 0;
  if (!fits) return BadCall(cx, "its queries, keys and values do not fit together");
  return std::nullopt;
}

Result<CudnnCall> ReadCall(const OpContext& cx, bool backward) {
  if (auto bad = NeedArrays(cx, backward ? 6 : 3)) return *std::move(bad);
  Result<JsonValue> config = ReadCallConfig(cx);
  if (!config) return config.error();
  const JsonValue& nested = (*config)["cudnn_fmha_backend_config"];
  const JsonValue& fields = nested.is_object() ? nested : *config;
  if (fields["dropout_rate"].AsDouble(0) != 0 || fields["max_seg_per_batch"].AsInt(1) > 1 ||
      fields["is_paged_attention"].AsBool(false)) {
    return BadCall(cx, "dropout, packed segments and paged caches are not known here");
  }
  const JsonValue& product =
      fields[backward ? "bmm2_grad_gemm2_dot_dimension_numbers" : "bmm1_dot_dimension_numbers"];
  CudnnCall call;
  if (product["lhs_batch_dimensions"].AsInts() == std::vector<int64_t>{0, 1}) {
    call.axes = kHeadsFirst;
  }
  if (auto bad = ReadSizes(cx, call)) return *std::move(bad);
  call.spec.scale = fields["fmha_scale"].AsDouble(1.0);
  const bool has_bias = TargetOf(cx).find("ScaleBias") != std::string_view::npos;
  const size_t bias_at = backward ? 5 : 3;
  if (has_bias) {
    if (auto bad = ReadCudnnBias(cx, bias_at, call.spec)) return *std::move(bad);
  }
  const size_t lengths_at = bias_at + (has_bias ? 1 : 0) + (backward ? 1 : 0);
  if (auto bad = ReadCudnnMask(cx, fields, lengths_at, call.spec)) return *std::move(bad);
  return call;
}

Result<std::array<std::vector<double>, 3>> LoadThree(const OpContext& cx) {
  std::array<std::vector<double>, 3> out;
  for (size_t i = 0; i < 3; ++i) {
    Result<std::vector<double>> values = LoadDoubles(cx, cx.array(i));
    if (!values) return values.error();
    out[i] = *std::move(values);
  }
  return out;
}

AttentionInputs InputsOf(const OpContext& cx, Axes axes,
                         std::array<std::vector<double>, 3>& values) {
  return {CudnnRows(values[0], cx.array(0).dims(), axes),
          CudnnRows(values[1], cx.array(1).dims(), axes),
          CudnnRows(values[2], cx.array(2).dims(), axes)};
}

Result<Value> Forward(OpContext& cx) {
  Result<CudnnCall> call = ReadCall(cx, false);
  if (!call) return call.error();
  const AttentionSpec& spec = call->spec;
  Result<std::array<std::vector<double>, 3>> values = LoadThree(cx);
  if (!values) return values.error();
  const Dims dims = {spec.batch, spec.heads, spec.queries, spec.v_size};
  if (auto full = cx.CheckBudget(ProductOrMax({dims[0], dims[1], dims[2], dims[3], 8}))) {
    return *std::move(full);
  }
  std::vector<double> out(static_cast<size_t>(ElementsIn(dims)));
  std::vector<double> log_sums;
  if (auto bad = AttentionForward(cx, spec, InputsOf(cx, call->axes, *values),
                                  CudnnRows(out, dims, kHeadsFirst), log_sums)) {
    return *std::move(bad);
  }
  std::vector<Array> parts = {StoreDoubles(cx, ElementType::kF64, dims, out)};
  if (cx.parts() == 3) {
    const Dims stats = {spec.batch, spec.heads, spec.queries};
    parts.push_back(StoreDoubles(cx, ElementType::kF64, stats, log_sums));
  }
  return FinishCall(cx, std::move(parts));
}

// Operands: q, k, v, log sums, gradient of the output, optional bias, output.
Result<Value> Backward(OpContext& cx) {
  Result<CudnnCall> call = ReadCall(cx, true);
  if (!call) return call.error();
  const AttentionSpec& spec = call->spec;
  const size_t out_at = spec.bias.empty() ? 5 : 6;
  if (auto bad = NeedArrays(cx, out_at + 1)) return *std::move(bad);
  const Array& dout_array = cx.array(4);
  const Array& out_array = cx.array(out_at);
  Dims want = {spec.batch, 0, 0, spec.v_size};
  want[call->axes.position] = spec.queries;
  want[call->axes.head] = spec.heads;
  if (!std::ranges::equal(dout_array.dims(), want) || !std::ranges::equal(out_array.dims(), want) ||
      cx.array(3).count() != spec.scores()) {
    return BadCall(cx, "its output and statistics do not fit its operands");
  }
  Result<std::array<std::vector<double>, 3>> values = LoadThree(cx);
  Result<std::vector<double>> log_sums = LoadDoubles(cx, cx.array(3));
  Result<std::vector<double>> dout = LoadDoubles(cx, dout_array);
  Result<std::vector<double>> out = LoadDoubles(cx, out_array);
  if (!values) return values.error();
  if (!log_sums) return log_sums.error();
  if (!dout) return dout.error();
  if (!out) return out.error();
  const std::array<Dims, 3> dims = {Dims{spec.batch, spec.heads, spec.queries, spec.qk_size},
                                    Dims{spec.batch, spec.kv_heads, spec.keys, spec.qk_size},
                                    Dims{spec.batch, spec.kv_heads, spec.keys, spec.v_size}};
  std::array<std::vector<double>, 3> gradients;
  for (size_t i = 0; i < 3; ++i) gradients[i].resize((*values)[i].size());
  std::vector<double> dbias(cx.parts() == 5 ? spec.bias.size() : 0);
  const AttentionGradients to{
      CudnnRows(gradients[0], dims[0], kHeadsFirst), CudnnRows(gradients[1], dims[1], kHeadsFirst),
      CudnnRows(gradients[2], dims[2], kHeadsFirst), dbias.empty() ? nullptr : &dbias};
  if (auto bad = AttentionBackward(cx, spec, InputsOf(cx, call->axes, *values), *log_sums,
                                   CudnnRows(*out, want, call->axes),
                                   CudnnRows(*dout, want, call->axes), to)) {
    return *std::move(bad);
  }
  std::vector<Array> parts;
  for (size_t i = 0; i < 3; ++i) {
    parts.push_back(StoreDoubles(cx, ElementType::kF64, dims[i], gradients[i]));
  }
  if (!dbias.empty()) {
    const Dims bias_dims = {spec.bias_batch, spec.bias_heads, spec.queries, spec.keys};
    parts.push_back(StoreDoubles(cx, ElementType::kF64, bias_dims, dbias));
  }
  return FinishCall(cx, std::move(parts));
}

}  // namespace

void RegisterCudnnAttention(CustomCallRegistry& registry) {
  for (const char* target : {"__cudnn$fmhaSoftmax", "__cudnn$fmhaScaleBiasSoftmax"}) {
    registry.Register(target, Forward);
    registry.Register(std::string(target) + "Backward", Backward);
  }
}

}  // namespace halo

// Transformer Engine's fused attention. Queries, keys and values may be packed into one or two
// arrays. Sequence lengths are given as running sums over the batch entries. Dropout is rejected:
// its random numbers are internal to the library.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "halo/eval/calls/attention.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/eval/lanes/lanes.h"

namespace halo {
namespace {

// The packings that NVTE_QKV_Layout encodes, and the values of NVTE_Mask_Type, that can be computed
// here.
enum Packing : uint8_t { kSeparate, kKvPacked, kAllPacked };
enum MaskType : uint8_t {
  kNoMask,
  kPadding,
  kCausal,
  kPaddingCausal,
  kCausalBottomRight,
  kPaddingCausalBottomRight
};

struct TeCall {
  AttentionSpec spec;
  Packing packing = kSeparate;
  bool heads_outside = false;   // [.., heads, 3, size] instead of [.., 3, heads, size]
  bool sequence_first = false;  // [sequence, batch, ..] instead of [batch, sequence, ..]
};

std::optional<Diagnostic> ReadLayout(const OpContext& cx, int64_t layout, TeCall& call) {
  if (layout < 0 || layout > 9) return BadCall(cx, "ragged and paged layouts are not known here");
  constexpr std::array<Packing, 5> kPackings = {kAllPacked, kAllPacked, kKvPacked, kKvPacked,
                                                kSeparate};
  call.sequence_first = layout < 5;
  call.packing = kPackings[static_cast<size_t>(layout % 5)];
  call.heads_outside = layout % 5 == 1 || layout % 5 == 3;
  return std::nullopt;
}

// Returns the differences of the running sums. Masks nothing if there are too few sums.
std::vector<int64_t> CountsOfSums(const Array& sums, int64_t batch, int64_t limit) {
  std::vector<int64_t> counts;
  if (sums.count() < batch + 1) return counts;
  const auto at = [&](int64_t i) {
    const auto offset = static_cast<size_t>(i) * sums.element_bytes();
    return std::clamp<int64_t>(LoadInt(sums.type(), sums.bytes() + offset), 0, INT32_MAX);
  };
  for (int64_t b = 0; b < batch; ++b) {
    counts.push_back(std::clamp<int64_t>(at(b + 1) - at(b), 0, limit));
  }
  return counts;
}

std::optional<Diagnostic> ReadTeMask(const OpContext& cx, const JsonValue& config,
                                     size_t lengths_at, AttentionSpec& spec) {
  const int64_t mask = config["mask_type"].AsInt(-1);
  if (mask < kNoMask || mask > kPaddingCausalBottomRight) return BadCall(cx, "unknown mask_type");
  spec.causal = mask >= kCausal;
  spec.bottom_right = mask == kCausalBottomRight || mask == kPaddingCausalBottomRight;
  const auto reach = [&](const char* key) {
    const int64_t window = config[key].AsInt(-1);
    return window > spec.queries + spec.keys ? -1 : window;
  };
  spec.window_left = reach("window_size_left");
  spec.window_right = reach("window_size_right");
  if (mask == kPadding || mask == kPaddingCausal || mask == kPaddingCausalBottomRight) {
    spec.query_counts = CountsOfSums(cx.array(lengths_at), spec.batch, spec.queries);
    spec.key_counts = CountsOfSums(cx.array(lengths_at + 1), spec.batch, spec.keys);
  }
  return std::nullopt;
}

std::optional<Diagnostic> ReadTeBias(const OpContext& cx, const JsonValue& config,
                                     AttentionSpec& spec) {
  const int64_t type = config["bias_type"].AsInt(0);
  if (type == 0) return std::nullopt;
  if (type != 1 && type != 2) return BadCall(cx, "only biases given as an operand are known here");
  spec.bias_before_scale = type == 1;
  spec.bias_batch = config["bias_batch"].AsInt(1);
  spec.bias_heads = config["bias_heads"].AsInt(1);
  Result<std::vector<double>> bias = LoadDoubles(cx, cx.array(3));
  if (!bias) return bias.error();
  spec.bias = *std::move(bias);
  const bool fits = (spec.bias_batch == 1 || spec.bias_batch == spec.batch) &&
                    (spec.bias_heads == 1 || spec.bias_heads == spec.heads) &&
                    ProductOrMax({spec.bias_batch, spec.bias_heads, spec.queries, spec.keys}) ==
                        static_cast<int64_t>(spec.bias.size());
  if (!fits) return BadCall(cx, "its bias does not fit");
  return std::nullopt;
}

Result<TeCall> ReadTeCall(const OpContext& cx, size_t lengths_at) {
  if (auto bad = NeedArrays(cx, lengths_at + 2)) return *std::move(bad);
  Result<JsonValue> read = ReadCallConfig(cx);
  if (!read) return read.error();
  const JsonValue& config = *read;
  TeCall call;
  AttentionSpec& spec = call.spec;
  spec.batch = config["input_batch"].AsInt(-1);
  spec.heads = config["attn_heads"].AsInt(-1);
  spec.kv_heads = config["num_gqa_groups"].AsInt(-1);
  spec.queries = config["q_max_seqlen"].AsInt(-1);
  spec.keys = config["kv_max_seqlen"].AsInt(-1);
  spec.qk_size = config["qk_head_dim"].AsInt(config["head_dim"].AsInt(-1));
  spec.v_size = config["v_head_dim"].AsInt(spec.qk_size);
  spec.scale = config["scaling_factor"].AsDouble(1.0);
  for (const int64_t size : {spec.batch, spec.heads, spec.kv_heads, spec.queries, spec.keys,
                             spec.qk_size, spec.v_size}) {
    if (size < 0 || size > INT32_MAX) return BadCall(cx, "its configuration lacks a size");
  }
  if (spec.heads == 0 || spec.kv_heads == 0 || spec.heads % spec.kv_heads != 0) {
    return BadCall(cx, "its query heads are no multiple of its key heads");
  }
  if (config["dropout_probability"].AsDouble(0) != 0) {
    return BadCall(cx, "dropout draws random numbers that cannot be repeated here");
  }
  if (auto bad = ReadLayout(cx, config["qkv_layout"].AsInt(-1), call)) return *std::move(bad);
  if (call.packing == kAllPacked && spec.heads != spec.kv_heads) {
    return BadCall(cx, "packed queries, keys and values have equally many heads");
  }
  if (auto bad = ReadTeMask(cx, config, lengths_at, spec)) return *std::move(bad);
  if (auto bad = ReadTeBias(cx, config, spec)) return *std::move(bad);
  return call;
}

// Returns the rows of one of `packed` operands that share an array; nothing if the array does not
// have that size.
std::optional<AttentionRows> TeRows(const TeCall& call, std::vector<double>& values, int64_t length,
                                    int64_t heads, int64_t size, int64_t packed, int64_t which) {
  const AttentionSpec& spec = call.spec;
  if (ProductOrMax({spec.batch, length, packed, heads, size}) !=
      static_cast<int64_t>(values.size())) {
    return std::nullopt;
  }
  AttentionRows rows;
  rows.values = &values;
  // Without elements, sizes may be so large that their products are not used.
  const int64_t row = ProductOrMax({packed, heads, size});
  rows.batch = call.sequence_first ? row : ProductOrMax({length, row});
  rows.position = call.sequence_first ? ProductOrMax({spec.batch, row}) : row;
  rows.head = call.heads_outside ? packed * size : size;
  rows.offset = ProductOrMax({which, call.heads_outside ? 1 : heads, size});
  return rows;
}

// The three arrays of an operand list, and the rows in them.
struct Packed {
  std::array<std::vector<double>, 3> values;
  AttentionInputs rows;
};

bool BindRows(const TeCall& call, Packed& packed) {
  const AttentionSpec& spec = call.spec;
  const int64_t kv_packed = call.packing == kSeparate ? 1 : call.packing == kKvPacked ? 2 : 3;
  const int64_t q_packed = call.packing == kAllPacked ? 3 : 1;
  auto& [first, second, third] = packed.values;
  std::vector<double>& keys = call.packing == kAllPacked ? first : second;
  std::vector<double>& values = call.packing == kSeparate ? third : keys;
  const auto q = TeRows(call, first, spec.queries, spec.heads, spec.qk_size, q_packed, 0);
  const auto k = TeRows(call, keys, spec.keys, spec.kv_heads, spec.qk_size, kv_packed,
                        call.packing == kAllPacked ? 1 : 0);
  const auto v =
      TeRows(call, values, spec.keys, spec.kv_heads, spec.v_size, kv_packed, kv_packed - 1);
  if (!q || !k || !v) return false;
  packed.rows = {*q, *k, *v};
  return true;
}

Result<Packed> LoadPacked(const OpContext& cx) {
  Packed packed;
  for (size_t i = 0; i < 3; ++i) {
    Result<std::vector<double>> values = LoadDoubles(cx, cx.array(i));
    if (!values) return values.error();
    packed.values[i] = *std::move(values);
  }
  return packed;
}

Array AsPart(const OpContext& cx, size_t part, std::span<const double> values) {
  const ShapeId shape = cx.shape(part);
  return StoreDoubles(cx, ElementType::kF64, cx.module.shapes.dims(shape), values);
}

bool PartHolds(const OpContext& cx, size_t part, size_t count) {
  return part < cx.parts() && cx.module.shapes.is_tuple(cx.shape()) &&
         cx.module.shapes.is_array(cx.shape(part)) &&
         cx.module.shapes.ElementCount(cx.shape(part)) == static_cast<int64_t>(count);
}

// Operands: q, k, v, bias, seed, query lengths, key lengths, and more. Results: output, log sums,
// random state.
Result<Value> TeForward(OpContext& cx) {
  Result<TeCall> call = ReadTeCall(cx, 5);
  if (!call) return call.error();
  Result<Packed> in = LoadPacked(cx);
  if (!in) return in.error();
  if (!BindRows(*call, *in)) return BadCall(cx, "its operands are not of the configured sizes");
  const AttentionSpec& spec = call->spec;
  const int64_t count = ProductOrMax({spec.batch, spec.queries, spec.heads, spec.v_size});
  if (!PartHolds(cx, 0, static_cast<size_t>(count)) ||
      !PartHolds(cx, 1, static_cast<size_t>(spec.scores()))) {
    return BadCall(cx, "its results are not of the configured sizes");
  }
  if (auto full = cx.CheckBudget(ProductOrMax({count, 8}))) return *std::move(full);
  std::vector<double> out(static_cast<size_t>(count));
  const auto rows = TeRows(*call, out, spec.queries, spec.heads, spec.v_size, 1, 0);
  std::vector<double> log_sums;
  if (auto bad = AttentionForward(cx, spec, in->rows, *rows, log_sums)) return *std::move(bad);
  return FinishCall(cx, {AsPart(cx, 0, out), AsPart(cx, 1, log_sums)});
}

// Operands: q, k, v, bias, log sums, random state, output, its gradient, lengths. Results: dq, dk,
// dv, dbias.
Result<Value> TeBackward(OpContext& cx) {
  Result<TeCall> call = ReadTeCall(cx, 8);
  if (!call) return call.error();
  const AttentionSpec& spec = call->spec;
  Result<Packed> in = LoadPacked(cx);
  if (!in) return in.error();
  Result<std::vector<double>> log_sums = LoadDoubles(cx, cx.array(4));
  Result<std::vector<double>> out = LoadDoubles(cx, cx.array(6));
  Result<std::vector<double>> dout = LoadDoubles(cx, cx.array(7));
  if (!log_sums) return log_sums.error();
  if (!out) return out.error();
  if (!dout) return dout.error();
  const auto out_rows = TeRows(*call, *out, spec.queries, spec.heads, spec.v_size, 1, 0);
  const auto dout_rows = TeRows(*call, *dout, spec.queries, spec.heads, spec.v_size, 1, 0);
  if (!BindRows(*call, *in) || !out_rows || !dout_rows ||
      static_cast<int64_t>(log_sums->size()) != spec.scores()) {
    return BadCall(cx, "its operands are not of the configured sizes");
  }
  Packed gradients;
  for (size_t i = 0; i < 3; ++i) {
    gradients.values[i].resize(in->values[i].size());
    if (!PartHolds(cx, i, gradients.values[i].size())) {
      return BadCall(cx, "its results are not of the operands' sizes");
    }
  }
  std::vector<double> dbias(spec.bias.size());
  if (!PartHolds(cx, 3, dbias.size())) dbias.clear();
  BindRows(*call, gradients);
  const AttentionGradients to{gradients.rows.q, gradients.rows.k, gradients.rows.v,
                              dbias.empty() ? nullptr : &dbias};
  if (auto bad = AttentionBackward(cx, spec, in->rows, *log_sums, *out_rows, *dout_rows, to)) {
    return *std::move(bad);
  }
  std::vector<Array> parts;
  for (size_t i = 0; i < 3; ++i) parts.push_back(AsPart(cx, i, gradients.values[i]));
  if (!dbias.empty()) parts.push_back(AsPart(cx, 3, dbias));
  return FinishCall(cx, std::move(parts));
}

}  // namespace

void RegisterAttention(CustomCallRegistry& registry) {
  registry.Register("te_fused_attn_forward_ffi", TeForward);
  registry.Register("te_fused_attn_backward_ffi", TeBackward);
}

}  // namespace halo

// Library calls. The configurations of matrix products and fused attention state their operands'
// dimensions, and a few calls return their operand unchanged. All others pin.
#include <algorithm>

#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/gemm_config.h"
#include "halo/shrink/relations/relations.h"

namespace halo {
namespace {

constexpr std::string_view kPassing[] = {"Sharding",         "MoveToHost",
                                         "MoveToDevice",     "annotate_device_placement",
                                         "LayoutConstraint", "xla.sdy.FuncResultSharding",
                                         "PreserveDimension"};

}  // namespace

bool Relations::RelateGemm(InstId id, std::string_view target) {
  if (!target.starts_with("__cublas$") && !target.starts_with("__triton_gemm")) return false;
  const auto config =
      ParseCallConfig(module_.TextOr(inst(id).attrs, AttrKey::k_backend_config, "{}"));
  const ShapeTable& shapes = module_.shapes;
  if (!config || operand_count(id) < 2) return false;
  const ShapeId lhs = inst(operand(id, 0)).shape, rhs = inst(operand(id, 1)).shape;
  if (!shapes.is_array(lhs) || !shapes.is_array(rhs)) return false;
  const bool fp8 = target.ends_with("$f8");
  const ShapeId first = shapes.is_tuple(inst(id).shape) && !shapes.elements(inst(id).shape).empty()
                            ? shapes.elements(inst(id).shape)[0]
                            : inst(id).shape;
  const bool scaled_result = fp8 && InfoOf(shapes.type(first)).bits == 8;
  std::string wrong;
  const auto gemm = ReadGemmConfig(*config,
                                   {.lhs = shapes.dims(lhs),
                                    .rhs = shapes.dims(rhs),
                                    .count = operand_count(id),
                                    .scaled = fp8,
                                    .scaled_result = scaled_result},
                                   wrong);
  if (!gemm || gemm->lhs.size() != shapes.dims(lhs).size() ||
      gemm->rhs.size() != shapes.dims(rhs).size()) {
    return false;
  }
  const Dims result = shapes.is_tuple(inst(id).shape) ? dims_.element(id, 0) : of(id);
  const std::span<const int64_t> batch[2] = {gemm->dims.lhs_batch, gemm->dims.rhs_batch};
  const std::span<const int64_t> contracted[2] = {gemm->dims.lhs_contracting,
                                                  gemm->dims.rhs_contracting};
  Product(id, operand_dims(id, 0), operand_dims(id, 1), result, batch, contracted);
  if (gemm->matrix) Same(operand_dims(id, *gemm->matrix), result, id);
  if (gemm->bias && !operand_dims(id, *gemm->bias).empty() && !result.empty()) {
    const Dims bias = operand_dims(id, *gemm->bias);
    Same(bias, result.last(std::min(bias.size(), result.size())), id);
  }
  if (gemm->epilogue.aux) {
    Same(dims_.element(id, 1), result, id);
  }
  for (size_t side = 0; side < 2; ++side) {
    std::vector<DimId> factors;
    const Dims dims = operand_dims(id, side);
    for (size_t i = 0; i < dims.size(); ++i) {
      const auto& list = batch[side];
      if (std::find(list.begin(), list.end(), static_cast<int64_t>(i)) == list.end()) {
        factors.push_back(dims[i]);
      }
    }
    config_sizes_.push_back({id, side == 0 ? "lhs_stride" : "rhs_stride", std::move(factors)});
  }
  return true;
}

// [batch.., sequence, heads, size] each for queries, keys and values.
bool Relations::RelateTeAttention(InstId id, std::string_view target) {
  const bool forward = target == "te_fused_attn_forward_ffi";
  if (!forward && target != "te_fused_attn_backward_ffi") return false;
  const auto read =
      ParseCallConfig(module_.TextOr(inst(id).attrs, AttrKey::k_backend_config, "{}"));
  if (!read || operand_count(id) < 7) return false;
  const JsonValue& config = *read;
  const int64_t layout = config["qkv_layout"].AsInt(-1);
  if (layout != 4 && layout != 9) return false;
  const bool sequence_first = layout == 4;
  const DimId batch = space_.Make(config["input_batch"].AsInt(-1));
  const DimId queries = space_.Make(config["q_max_seqlen"].AsInt(-1));
  const DimId keys = space_.Make(config["kv_max_seqlen"].AsInt(-1));
  const DimId heads = space_.Make(config["attn_heads"].AsInt(-1));
  const DimId kv_heads = space_.Make(config["num_gqa_groups"].AsInt(-1));
  const DimId qk = space_.Make(config["qk_head_dim"].AsInt(config["head_dim"].AsInt(-1)));
  const DimId v = space_.Make(config["v_head_dim"].AsInt(space_.size(qk)));
  for (const DimId node : {batch, queries, keys, heads, kv_heads, qk, v}) {
    if (space_.size(node) <= 0) return false;
  }
  if (space_.size(heads) % space_.size(kv_heads) != 0) return false;
  DimId group, rest;
  space_.SplitAt(heads, space_.size(heads) / space_.size(kv_heads), id, &group, &rest);
  space_.Unify(group, kv_heads, id);
  const auto rows = [&](Dims dims, DimId length, DimId count, DimId size) {
    const std::vector<DimId> order = sequence_first
                                         ? std::vector<DimId>{length, batch, count, size}
                                         : std::vector<DimId>{batch, length, count, size};
    space_.UnifyProducts(dims, order, id);
  };
  const auto statistics = [&](Dims dims) {
    const std::vector<DimId> order = {batch, heads, queries};
    int64_t product = 1, expected = 1;
    for (const DimId dim : dims) product *= space_.size(dim);
    for (const DimId dim : order) expected *= space_.size(dim);
    if (product == expected) {
      space_.UnifyProducts(dims, order, id);
    } else {
      PinDims(dims, id, "it holds the attention's statistics");
    }
  };
  rows(operand_dims(id, 0), queries, heads, qk);
  rows(operand_dims(id, 1), keys, kv_heads, qk);
  rows(operand_dims(id, 2), keys, kv_heads, v);
  size_t lengths = 5;
  if (forward) {
    rows(dims_.element(id, 0), queries, heads, v);
    statistics(dims_.element(id, 1));
    PinDims(dims_.element(id, 2), id, "it is a generator's state");
  } else {
    if (operand_count(id) < 10) return false;
    lengths = 8;
    statistics(operand_dims(id, 4));
    rows(operand_dims(id, 6), queries, heads, v);
    rows(operand_dims(id, 7), queries, heads, v);
    rows(dims_.element(id, 0), queries, heads, qk);
    rows(dims_.element(id, 1), keys, kv_heads, qk);
    rows(dims_.element(id, 2), keys, kv_heads, v);
  }
  for (size_t i = lengths; i < lengths + 2; ++i) {
    const Dims sums = operand_dims(id, i);
    if (sums.size() == 1 && space_.size(sums[0]) == space_.size(batch) + 1) {
      space_.Unify(sums[0], space_.Sum({{batch, 0}, {DimId(), 1}}, id), id);
    } else {
      PinDims(sums, id, "it counts the batch's segments");
      space_.Pin(batch, id, "its segments are counted");
    }
  }
  const std::pair<const char*, DimId> sizes[] = {{"input_batch", batch},
                                                 {"q_max_seqlen", queries},
                                                 {"kv_max_seqlen", keys},
                                                 {"attn_heads", heads},
                                                 {"num_gqa_groups", kv_heads},
                                                 {"qk_head_dim", qk},
                                                 {"v_head_dim", v},
                                                 {"head_dim", qk}};
  for (const auto& [key, node] : sizes) config_sizes_.push_back({id, key, {node}});
  return true;
}

void Relations::RelateCustomCall(InstId id) {
  const std::string_view target =
      module_.TextOr(inst(id).attrs, AttrKey::k_custom_call_target, std::string_view());
  if (std::find(std::begin(kPassing), std::end(kPassing), target) != std::end(kPassing) &&
      operand_count(id) >= 1) {
    Same(operand_dims(id, 0), of(id), id);
    return;
  }
  if (target == "TopK" || target == "__gpu$TopK") {
    const Dims from = operand_dims(id, 0), values = dims_.element(id, 0);
    Same(values, dims_.element(id, 1), id);
    if (from.empty() || values.size() != from.size()) return;
    Same(from.first(from.size() - 1), values.first(values.size() - 1), id);
    space_.Pin(values.back(), id, "so many are asked for");
    at_least_.emplace_back(from.back(), space_.size(values.back()));
    return;
  }
  if (target == "AllocateBuffer" || target == "CreateBuffer") return;
  if (RelateGemm(id, target) || RelateTeAttention(id, target)) return;
  PinAll(id, "what " + std::string(target) + " does with sizes is unknown");
}

}  // namespace halo

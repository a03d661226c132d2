// Shapes of dot products: dot, ragged-dot, scaled-dot. Result dimensions are the batch dimensions,
// then the remaining dimensions of the left side, then those of the right.
#include <algorithm>
#include <vector>

#include "halo/base/containers/contains.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

using Dims = std::span<const int64_t>;

struct DotDims {
  Dims lhs_batch, lhs_contracting, rhs_batch, rhs_contracting;
};

DotDims DimsOf(const RuleContext& op) {
  return {op.ints(AttrKey::k_lhs_batch_dims), op.ints(AttrKey::k_lhs_contracting_dims),
          op.ints(AttrKey::k_rhs_batch_dims), op.ints(AttrKey::k_rhs_contracting_dims)};
}

bool NeedApart(RuleContext& op, Dims batch, Dims contracting) {
  for (const int64_t dim : batch) {
    if (!Contains(contracting, static_cast<size_t>(dim))) continue;
    op.Report(Rule::kDotDimensionTwice, "dimension ", dim,
              " is both a batch and a contracting one");
    return false;
  }
  return true;
}

bool NeedPairs(RuleContext& op, Rule count_rule, Rule size_rule, Dims lhs, Dims rhs) {
  if (lhs.size() != rhs.size()) {
    op.Report(count_rule, "the left side names ", lhs.size(), ", the right ", rhs.size(), ": ",
              ListText(lhs), " and ", ListText(rhs));
    return false;
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    const int64_t left = op.dims(0)[static_cast<size_t>(lhs[i])];
    const int64_t right = op.dims(1)[static_cast<size_t>(rhs[i])];
    if (SameSize(left, right)) continue;
    op.Report(size_rule, "dimension ", lhs[i], " of ", op.OperandText(0), " has ", left,
              ", dimension ", rhs[i], " of ", op.OperandText(1), " has ", right);
    return false;
  }
  return true;
}

bool NeedDotDims(RuleContext& op, const DotDims& dot) {
  const size_t left = op.dims(0).size();
  const size_t right = op.dims(1).size();
  return op.NeedDims(AttrKey::k_lhs_batch_dims, dot.lhs_batch, left) &&
         op.NeedDims(AttrKey::k_lhs_contracting_dims, dot.lhs_contracting, left) &&
         op.NeedDims(AttrKey::k_rhs_batch_dims, dot.rhs_batch, right) &&
         op.NeedDims(AttrKey::k_rhs_contracting_dims, dot.rhs_contracting, right) &&
         NeedApart(op, dot.lhs_batch, dot.lhs_contracting) &&
         NeedApart(op, dot.rhs_batch, dot.rhs_contracting) &&
         NeedPairs(op, Rule::kDotContractingCount, Rule::kDotContractingSize, dot.lhs_contracting,
                   dot.rhs_contracting) &&
         NeedPairs(op, Rule::kDotBatchCount, Rule::kDotBatchSize, dot.lhs_batch, dot.rhs_batch);
}

void AddFree(Dims dims, Dims batch, Dims contracting, Dims group, std::vector<int64_t>& out) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (!Contains(batch, i) && !Contains(contracting, i) && !Contains(group, i)) {
      out.push_back(dims[i]);
    }
  }
}

std::vector<int64_t> ResultDims(const RuleContext& op, const DotDims& dot, Dims rhs_group) {
  std::vector<int64_t> dims;
  for (const int64_t dim : dot.lhs_batch) dims.push_back(op.dims(0)[static_cast<size_t>(dim)]);
  AddFree(op.dims(0), dot.lhs_batch, dot.lhs_contracting, {}, dims);
  AddFree(op.dims(1), dot.rhs_batch, dot.rhs_contracting, rhs_group, dims);
  return dims;
}

// A dot may yield any element type.
ElementType DotType(const RuleContext& op) {
  return op.shapes().is_array(op.shape()) ? op.shapes().type(op.shape()) : op.type(0);
}

// Returns the sizes of the dimensions before the ragged one, for which group sizes may differ.
std::vector<int64_t> GroupPrefix(const RuleContext& op, const DotDims& dot, int64_t ragged) {
  std::vector<int64_t> prefix;
  const auto size = [&](int64_t dim) { return op.dims(0)[static_cast<size_t>(dim)]; };
  for (const int64_t dim : dot.lhs_batch) {
    if (dim == ragged) return prefix;
    prefix.push_back(size(dim));
  }
  if (Contains(dot.lhs_contracting, static_cast<size_t>(ragged))) {
    for (const int64_t dim : dot.lhs_contracting) {
      if (dim == ragged) return prefix;
      prefix.push_back(size(dim));
    }
    return prefix;
  }
  for (size_t i = 0; static_cast<int64_t>(i) < ragged; ++i) {
    if (!Contains(dot.lhs_batch, i) && !Contains(dot.lhs_contracting, i)) {
      prefix.push_back(op.dims(0)[i]);
    }
  }
  return prefix;
}

bool NeedGroupSizes(RuleContext& op, const DotDims& dot, int64_t ragged) {
  const Dims sizes = op.dims(2);
  if (sizes.size() == 1) return true;
  const std::vector<int64_t> prefix = GroupPrefix(op, dot, ragged);
  if (sizes.size() == prefix.size() + 1 &&
      std::equal(prefix.begin(), prefix.end(), sizes.begin())) {
    return true;
  }
  op.Report(Rule::kRaggedDotGroups, "group sizes are ", op.OperandText(2),
            ", expected one dimension, or ", ListText(prefix), " and one more");
  return false;
}

// A scale is 1 in every dimension if its side is not scaled at all.
bool IsNoScale(const RuleContext& op, size_t operand, size_t scale) {
  const auto is_one = [](int64_t dim) { return dim == 1; };
  return op.type(operand) == ElementType::kBF16 && op.type(scale) == ElementType::kBF16 &&
         std::all_of(op.dims(scale).begin(), op.dims(scale).end(), is_one) &&
         !std::all_of(op.dims(operand).begin(), op.dims(operand).end(), is_one);
}

bool NeedScale(RuleContext& op, size_t operand, size_t scale, Dims contracting) {
  if (IsNoScale(op, operand, scale)) return true;
  bool ok = op.dims(scale).size() == op.dims(operand).size() && contracting.size() == 1;
  for (size_t i = 0; ok && i < op.dims(operand).size(); ++i) {
    const int64_t divisor = op.dims(scale)[i];
    ok = divisor > 0 && op.dims(operand)[i] % divisor == 0;
  }
  if (!ok) {
    op.Report(Rule::kScaledDotScale, "scale ", op.OperandText(scale), " does not divide ",
              op.OperandText(operand), ", which contracts ", ListText(contracting));
  }
  return ok;
}

}  // namespace

Inferred InferDot(RuleContext& op) {
  const DotDims dot = DimsOf(op);
  if (!op.NeedArray(0) || !op.NeedArray(1) || !NeedDotDims(op, dot)) return std::nullopt;
  return ShapeValue::Array(DotType(op), ResultDims(op, dot, {}));
}

Inferred InferRaggedDot(RuleContext& op) {
  const DotDims dot = DimsOf(op);
  if (!op.NeedArrays() || !NeedDotDims(op, dot)) return std::nullopt;
  const Dims ragged = op.ints(AttrKey::k_lhs_ragged_dims);
  const Dims group = op.ints(AttrKey::k_rhs_group_dims);
  if (ragged.size() != 1 || op.dims(2).empty()) {
    return op.Fail(Rule::kRaggedDotGroups, "lhs_ragged_dims=", ListText(ragged),
                   " names one dimension, and group sizes have at least one; got ",
                   op.OperandText(2));
  }
  if (!op.NeedDims(AttrKey::k_lhs_ragged_dims, ragged, op.dims(0).size()) ||
      !op.NeedDims(AttrKey::k_rhs_group_dims, group, op.dims(1).size()) ||
      !NeedGroupSizes(op, dot, ragged[0])) {
    return std::nullopt;
  }
  const auto at = static_cast<size_t>(ragged[0]);
  const bool contracting = Contains(dot.lhs_contracting, at);
  const bool batch = Contains(dot.lhs_batch, at);
  const int64_t groups = op.dims(2).back();
  const bool wants_group = !contracting && !batch;
  bool ok = group.size() == (wants_group ? 1u : 0u);
  for (const int64_t dim : group) {
    ok = ok && !Contains(dot.rhs_batch, static_cast<size_t>(dim)) &&
         !Contains(dot.rhs_contracting, static_cast<size_t>(dim)) &&
         SameSize(groups, op.dims(1)[static_cast<size_t>(dim)]);
  }
  if (!ok) {
    return op.Fail(Rule::kRaggedDotGroups, "rhs_group_dims=", ListText(group),
                   " does not name the ", groups, " groups of ", op.OperandText(1));
  }
  std::vector<int64_t> dims = ResultDims(op, dot, group);
  if (contracting) dims.insert(dims.begin(), groups);
  return ShapeValue::Array(DotType(op), dims);
}

Inferred InferScaledDot(RuleContext& op) {
  const DotDims dot = DimsOf(op);
  if (!op.NeedArrays() || !NeedDotDims(op, dot)) return std::nullopt;
  if (!NeedScale(op, 0, 2, dot.lhs_contracting) || !NeedScale(op, 1, 3, dot.rhs_contracting)) {
    return std::nullopt;
  }
  if (op.dims(2).empty() && op.dims(3).empty()) {
    return op.Fail(Rule::kScaledDotScale, "neither side is scaled: ", op.OperandText(2), " and ",
                   op.OperandText(3));
  }
  return ShapeValue::Array(DotType(op), ResultDims(op, dot, {}));
}

}  // namespace halo

// Window arithmetic.
#include "halo/semantics/rules/window_bounds.h"

namespace halo {
namespace {

// 0 stays 0: a dilated empty dimension is empty.
bool Dilated(int64_t size, int64_t dilation, int64_t& out) {
  if (size == 0) {
    out = 0;
    return true;
  }
  return !__builtin_mul_overflow(size - 1, dilation, &out) && !__builtin_add_overflow(out, 1, &out);
}

}  // namespace

std::optional<int64_t> WindowPositions(int64_t base, const WindowDim& dim) {
  int64_t padded = 0;
  int64_t window = 0;
  if (!Dilated(base, dim.lhs_dilate, padded) || !Dilated(dim.size, dim.rhs_dilate, window) ||
      __builtin_add_overflow(padded, dim.pad_low, &padded) ||
      __builtin_add_overflow(padded, dim.pad_high, &padded)) {
    return std::nullopt;
  }
  if (padded <= 0 || window > padded) return 0;
  return (padded - window) / dim.stride + 1;
}

std::optional<std::vector<int64_t>> WindowedDims(RuleContext& op, std::span<const int64_t> base,
                                                 const Window& window) {
  if (window.dims.size() != base.size()) {
    return op.Fail(Rule::kWindowRank, "the window has ", window.dims.size(), " dimensions over ",
                   base.size());
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < base.size(); ++i) {
    const WindowDim& dim = window.dims[i];
    if (dim.size <= 0 || dim.stride <= 0 || dim.lhs_dilate < 1 || dim.rhs_dilate < 1) {
      return op.Fail(Rule::kWindowPositive, "in dimension ", i, " the window has size ", dim.size,
                     ", stride ", dim.stride, ", dilations ", dim.lhs_dilate, " and ",
                     dim.rhs_dilate);
    }
    if (base[i] == kUnboundedDimension) {
      dims.push_back(base[i]);
      continue;
    }
    const auto positions = WindowPositions(base[i], dim);
    if (!positions) {
      return op.Fail(Rule::kShapeOverflow, "the window over dimension ", i, " of ", base[i],
                     " elements does not fit in 64 bits");
    }
    dims.push_back(*positions);
  }
  return dims;
}

}  // namespace halo

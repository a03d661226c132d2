// Shapes of convolutions. dim_labels specifies which dimension is the batch, which holds features
// and which are spatial: input_kernel->output, one character for each dimension.
#include <vector>

#include "halo/ir/attributes/window.h"
#include "halo/semantics/facts/conv_labels.h"
#include "halo/semantics/rules/window_bounds.h"
#include "halo/semantics/shape_rules/shape_rules.h"

namespace halo {
namespace {

struct Groups {
  int64_t feature = 1, batch = 1;
};

bool NeedGroups(RuleContext& op, const Groups& groups, int64_t output_features, int64_t batch) {
  if (groups.feature <= 0 || groups.batch <= 0 || (groups.feature > 1 && groups.batch > 1)) {
    op.Report(Rule::kConvolutionGroups, "feature_group_count=", groups.feature,
              ", batch_group_count=", groups.batch);
    return false;
  }
  if (output_features % groups.batch != 0 || output_features % groups.feature != 0) {
    op.Report(Rule::kConvolutionGroups, output_features, " output features do not divide into ",
              groups.feature, " feature and ", groups.batch, " batch groups");
    return false;
  }
  if (batch % groups.batch != 0) {
    op.Report(Rule::kConvolutionGroups, "a batch of ", batch, " does not divide into ",
              groups.batch, " groups");
    return false;
  }
  return true;
}

bool NeedRanks(RuleContext& op, const ConvLabels& labels, const Window& window) {
  const size_t rank = labels.spatial() + 2;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (op.dims(i).size() == rank) continue;
    op.Report(Rule::kConvolutionRank, "dim_labels=", op.text_or(AttrKey::k_dim_labels), " label ",
              rank, " dimensions; operand ", i, " is ", op.OperandText(i));
    return false;
  }
  if (window.dims.size() == labels.spatial()) return true;
  op.Report(Rule::kWindowRank, "the window has ", window.dims.size(), " dimensions over ",
            labels.spatial(), " spatial ones");
  return false;
}

// Sparse kernels hold one of every `block` input features.
int64_t KernelBlock(const RuleContext& op) {
  return op.text_or(AttrKey::k_sparsity_config).find("rhs") == std::string_view::npos ? 1 : 0;
}

bool NeedKernel(RuleContext& op, const ConvLabels& labels, const Window& window,
                const Groups& groups) {
  const int64_t input_features = op.dims(0)[labels.input.feature];
  const int64_t kernel_features = op.dims(1)[labels.kernel.batch];
  if (KernelBlock(op) == 1 && (input_features % groups.feature != 0 ||
                               input_features / groups.feature != kernel_features)) {
    op.Report(Rule::kConvolutionFeatures, op.OperandText(0), " has ", input_features,
              " input features in ", groups.feature, " groups; the kernel ", op.OperandText(1),
              " takes ", kernel_features);
    return false;
  }
  for (size_t i = 0; i < labels.spatial(); ++i) {
    const int64_t size = op.dims(1)[labels.kernel.spatial[i]];
    if (size == window.dims[i].size) continue;
    op.Report(Rule::kConvolutionWindow, "the window has size ", window.dims[i].size,
              " in spatial dimension ", i, ", the kernel ", op.OperandText(1), " has ", size);
    return false;
  }
  return true;
}

}  // namespace

Inferred InferConvolution(RuleContext& op) {
  if (op.operand_count() < 2) {
    return op.Fail(Rule::kOperandCount, "convolution takes an input and a kernel; it has ",
                   op.operand_count());
  }
  if (!op.NeedArray(0) || !op.NeedArray(1)) return std::nullopt;
  const std::string_view text = op.text_or(AttrKey::k_dim_labels);
  const auto labels = ParseConvLabels(text);
  if (!labels) {
    return op.Fail(Rule::kConvolutionLabels, "dim_labels=", text,
                   " do not label each dimension once");
  }
  const Window window = DecodeWindow(op.ints(AttrKey::k_window));
  if (!NeedRanks(op, *labels, window)) return std::nullopt;
  const Groups groups{op.int_or(AttrKey::k_feature_group_count, 1),
                      op.int_or(AttrKey::k_batch_group_count, 1)};
  const int64_t batch = op.dims(0)[labels->input.batch];
  const int64_t output_features = op.dims(1)[labels->kernel.feature];
  if (!NeedGroups(op, groups, output_features, batch) || !NeedKernel(op, *labels, window, groups)) {
    return std::nullopt;
  }
  std::vector<int64_t> base;
  for (const size_t dim : labels->input.spatial) base.push_back(op.dims(0)[dim]);
  const auto spatial = WindowedDims(op, base, window);
  if (!spatial) return std::nullopt;
  std::vector<int64_t> dims(labels->spatial() + 2);
  dims[labels->output.batch] = batch / groups.batch;
  dims[labels->output.feature] = output_features;
  for (size_t i = 0; i < spatial->size(); ++i) dims[labels->output.spatial[i]] = (*spatial)[i];
  const ElementType type =
      op.shapes().is_array(op.shape()) ? op.shapes().type(op.shape()) : op.type(0);
  return ShapeValue::Array(type, dims);
}

}  // namespace halo

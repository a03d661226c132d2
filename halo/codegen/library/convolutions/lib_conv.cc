// The convolution instruction. Its window shows which of the three library forms it is: a dilated
// input comes from the strides of a forward convolution (gradient of the input), and a filter
// larger than the result is the output gradient that is summed into the filter (gradient of the
// filter).
#include "halo/codegen/library/convolutions/lib_conv.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "halo/codegen/library/convolutions/lib_conv_unrolled.h"
#include "halo/codegen/library/lib_ops.h"

namespace halo {

ConvArray Arranged(const Placed& array, size_t first, size_t second,
                   const std::vector<size_t>& spatial) {
  ConvArray out = {array.type,
                   {array.dims[first], array.dims[second]},
                   {array.strides[first], array.strides[second]}};
  for (const size_t dim : spatial) {
    out.dims.push_back(array.dims[dim]);
    out.strides.push_back(array.strides[dim]);
  }
  return out;
}

ConvArray Grouped(ConvArray filter, int64_t groups, size_t split) {
  const int64_t own = filter.dims[split] / groups;
  filter.dims[split] = own;
  filter.dims.insert(filter.dims.begin(), groups);
  filter.strides.insert(filter.strides.begin(), own * filter.strides[split]);
  return filter;
}

void ReverseSpace(ConvArray& filter, size_t dim) { filter.strides[3 + dim] *= -1; }

namespace {

class ConvolutionOp : public LibraryOp {
 public:
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    const bool done =
        kernel != nullptr
            ? kernel->Run({buffers[order[0]], buffers[order[1]], buffers[order[2]]}, scratch)
            : unrolled->Run(buffers[0], buffers[1], buffers[2], scratch);
    if (done) return std::nullopt;
    return LibraryRefusal(name, Text());
  }
  [[nodiscard]] int64_t scratch_bytes() const override {
    return kernel != nullptr ? kernel->scratch_bytes() : unrolled->scratch_bytes();
  }
  [[nodiscard]] std::string Text() const override {
    return kernel != nullptr ? kernel->Text() : unrolled->Text();
  }

  std::string name;
  std::unique_ptr<ConvKernel> kernel;
  std::array<size_t, 3> order = {0, 1, 2};  // the buffer of each role
  std::optional<UnrolledConvolution> unrolled;
};

std::optional<ConvProblem> AsForward(const ConvInstruction& conv) {
  const ConvLabels& labels = conv.labels;
  ConvProblem out;
  out.arrays = {
      Arranged(conv.input, labels.input.batch, labels.input.feature, labels.input.spatial),
      Grouped(
          Arranged(conv.kernel, labels.kernel.feature, labels.kernel.batch, labels.kernel.spatial),
          conv.feature_groups, 0),
      Arranged(conv.output, labels.output.batch, labels.output.feature, labels.output.spatial)};
  for (size_t i = 0; i < conv.window.dims.size(); ++i) {
    const WindowDim& dim = conv.window.dims[i];
    if (dim.lhs_dilate != 1) return std::nullopt;
    out.window.push_back({dim.stride, dim.rhs_dilate, dim.pad_low});
    if (dim.reversal) ReverseSpace(out.arrays[kConvFilter], i);
  }
  return out;
}

// The instruction's input is the gradient of the output; its output is the gradient of the input.
std::optional<ConvProblem> AsBackToInput(const ConvInstruction& conv) {
  const ConvLabels& labels = conv.labels;
  ConvProblem out;
  out.result = kConvInput;
  out.arrays = {
      Arranged(conv.output, labels.output.batch, labels.output.feature, labels.output.spatial),
      Grouped(
          Arranged(conv.kernel, labels.kernel.batch, labels.kernel.feature, labels.kernel.spatial),
          conv.feature_groups, 1),
      Arranged(conv.input, labels.input.batch, labels.input.feature, labels.input.spatial)};
  bool has_holes = false;
  for (size_t i = 0; i < conv.window.dims.size(); ++i) {
    const WindowDim& dim = conv.window.dims[i];
    if (dim.stride != 1) return std::nullopt;
    has_holes = has_holes || dim.lhs_dilate != 1;
    const int64_t taps = out.arrays[kConvFilter].dims[3 + i];
    out.window.push_back(
        {dim.lhs_dilate, dim.rhs_dilate, (taps - 1) * dim.rhs_dilate - dim.pad_low});
    if (!dim.reversal) ReverseSpace(out.arrays[kConvFilter], i);
  }
  if (!has_holes) return std::nullopt;
  return out;
}

// The instruction's kernel is the gradient of the output; it sums over the batch.
std::optional<ConvProblem> AsBackToFilter(const ConvInstruction& conv) {
  const ConvLabels& labels = conv.labels;
  if (conv.feature_groups != 1) return std::nullopt;
  ConvProblem out;
  out.result = kConvFilter;
  out.arrays = {
      Arranged(conv.input, labels.input.feature, labels.input.batch, labels.input.spatial),
      Grouped(
          Arranged(conv.output, labels.output.feature, labels.output.batch, labels.output.spatial),
          1, 0),
      Arranged(conv.kernel, labels.kernel.batch, labels.kernel.feature, labels.kernel.spatial)};
  int64_t taps = 1;
  int64_t placed = 1;
  for (size_t i = 0; i < conv.window.dims.size(); ++i) {
    const WindowDim& dim = conv.window.dims[i];
    if (dim.lhs_dilate != 1 || dim.reversal) return std::nullopt;
    out.window.push_back({dim.rhs_dilate, dim.stride, dim.pad_low});
    placed *= out.arrays[kConvFilter].dims[3 + i];
    taps *= out.arrays[kConvOutput].dims[2 + i];
  }
  if (taps <= placed) return std::nullopt;
  return out;
}

std::optional<ConvInstruction> ReadConvolution(const Module& module, const Inst& inst) {
  const auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const auto labels = ParseConvLabels(module.TextOr(inst.attrs, AttrKey::k_dim_labels));
  if (!operands || operands->size() < 2 || !results || results->empty() || !labels) {
    return std::nullopt;
  }
  ConvInstruction conv;
  conv.input = (*operands)[0];
  conv.kernel = (*operands)[1];
  conv.output = (*results)[0];
  conv.labels = *labels;
  const size_t rank = labels->spatial() + 2;
  for (const Placed* array : {&conv.input, &conv.kernel, &conv.output}) {
    if (array->dims.size() != rank) return std::nullopt;
  }
  conv.window = DecodeWindow(module.IntsOf(inst.attrs, AttrKey::k_window));
  conv.window.dims.resize(labels->spatial());
  conv.feature_groups =
      std::max<int64_t>(module.IntOr(inst.attrs, AttrKey::k_feature_group_count, 1), 1);
  conv.batch_groups =
      std::max<int64_t>(module.IntOr(inst.attrs, AttrKey::k_batch_group_count, 1), 1);
  return conv;
}

}  // namespace

std::unique_ptr<LibraryOp> MakeConvolutionOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  const auto conv = ReadConvolution(module, inst);
  if (!conv) return nullptr;
  auto op = std::make_unique<ConvolutionOp>();
  op->name = std::string(module.name_of(inst));
  struct Form {
    std::optional<ConvProblem> (*read)(const ConvInstruction&);
    std::array<size_t, 3> order;
  };
  constexpr Form kForms[] = {
      {AsBackToFilter, {0, 2, 1}}, {AsBackToInput, {2, 1, 0}}, {AsForward, {0, 1, 2}}};
  for (const Form& form : kForms) {
    if (conv->batch_groups != 1) break;
    const auto problem = form.read(*conv);
    if (!problem) continue;
    op->kernel = MakeOneDnnConvolution(*problem);
    op->order = form.order;
    if (op->kernel != nullptr) return op;
  }
  op->unrolled = UnrolledConvolution::Make(*conv);
  if (!op->unrolled) return nullptr;
  return op;
}

}  // namespace halo

// Computes cuDNN's convolutions with oneDNN; those it has no fast implementation for are left to
// the reference evaluator. Window and labels are always those of the forward convolution.
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "halo/codegen/library/convolutions/lib_conv.h"
#include "halo/codegen/library/lib_epilogue.h"
#include "halo/codegen/library/lib_ops.h"
#include "halo/codegen/library/lib_workspaces.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/cudnn_config.h"
#include "halo/ir/attributes/window.h"
#include "halo/semantics/facts/conv_labels.h"

namespace halo {
namespace {

class ConvCallOp : public LibraryOp {
 public:
  std::optional<Diagnostic> Run(std::span<void* const> buffers, void* scratch) override {
    auto* workspace = static_cast<uint8_t*>(scratch);
    std::array<void*, 3> arrays = {};
    for (size_t role = 0; role < 3; ++role) arrays[role] = buffers[order[role]];
    void* result = arrays[result_role];
    if (epilogue) arrays[result_role] = workspace + sums_at;
    if (!kernel->Run(arrays, workspace + kernel_at)) return LibraryRefusal(name, kernel->Text());
    if (epilogue) epilogue->Run(buffers, workspace + sums_at, result, workspace);
    workspaces.Clear(buffers);
    return std::nullopt;
  }
  [[nodiscard]] int64_t scratch_bytes() const override { return plan.bytes(); }
  [[nodiscard]] std::string Text() const override {
    return kernel->Text() + (epilogue ? ", epilogue" : "");
  }

  // Set by the function that creates the op.
  std::string name;
  std::unique_ptr<ConvKernel> kernel;
  ConvRole result_role = kConvOutput;
  std::array<size_t, 3> order = {};  // the buffer of each role
  std::optional<Epilogue> epilogue;
  int64_t sums_at = 0, kernel_at = 0;
  Workspaces workspaces;
  ScratchLayout plan;
};

struct ConvCall {
  PlacedArrays operands;
  Placed result;
  ConvLabels labels;
  Window window;
  int64_t groups = 1;
  std::array<const Placed*, 3> arrays = {};
};

std::optional<ConvCall> ReadCall(const Module& module, const Inst& inst) {
  auto operands = PlacedOperands(module, inst);
  const auto results = PlacedResults(module, inst);
  const auto labels = ParseConvLabels(module.TextOr(inst.attrs, AttrKey::k_dim_labels));
  if (!operands || operands->size() < 2 || !results || results->empty() || !labels) {
    return std::nullopt;
  }
  ConvCall call;
  call.operands = *std::move(operands);
  call.result = (*results)[0];
  call.labels = *labels;
  call.window = DecodeWindow(module.IntsOf(inst.attrs, AttrKey::k_window));
  call.groups = module.IntOr(inst.attrs, AttrKey::k_feature_group_count, 1);
  return call;
}

// Returns nullopt if sizes do not match; the reference evaluator then reports how.
std::optional<ConvProblem> ProblemOf(const ConvCall& call, ConvRole result) {
  const size_t rank = call.labels.spatial();
  if (call.window.dims.size() != rank || call.groups <= 0) return std::nullopt;
  for (const Placed* array : call.arrays) {
    if (array->dims.size() != rank + 2) return std::nullopt;
  }
  const ConvLabels& labels = call.labels;
  ConvProblem problem;
  problem.result = result;
  ConvArray& input = problem.arrays[kConvInput];
  ConvArray& filter = problem.arrays[kConvFilter];
  ConvArray& output = problem.arrays[kConvOutput];
  input = Arranged(*call.arrays[kConvInput], labels.input.batch, labels.input.feature,
                   labels.input.spatial);
  filter = Arranged(*call.arrays[kConvFilter], labels.kernel.feature, labels.kernel.batch,
                    labels.kernel.spatial);
  output = Arranged(*call.arrays[kConvOutput], labels.output.batch, labels.output.feature,
                    labels.output.spatial);
  if (filter.dims[0] % call.groups != 0 || filter.dims[1] * call.groups != input.dims[1] ||
      input.dims[0] != output.dims[0] || filter.dims[0] != output.dims[1]) {
    return std::nullopt;
  }
  filter = Grouped(std::move(filter), call.groups, 0);
  for (size_t i = 0; i < rank; ++i) {
    const WindowDim& dim = call.window.dims[i];
    if (dim.lhs_dilate != 1 || dim.stride < 1 || dim.rhs_dilate < 1 ||
        dim.size != filter.dims[3 + i]) {
      return std::nullopt;
    }
    problem.window.push_back({dim.stride, dim.rhs_dilate, dim.pad_low});
    if (dim.reversal) ReverseSpace(filter, i);
  }
  return problem;
}

// The op's epilogue, if any, must be complete. Returns null if oneDNN has no fast implementation.
std::unique_ptr<LibraryOp> Finish(const ConvCall& call, ConvRole result,
                                  std::unique_ptr<ConvCallOp> op) {
  ConvCall summed = call;
  if (op->epilogue) {
    summed.result.type = ElementType::kF32;
    op->sums_at = op->plan.Take(op->epilogue->sums().bytes());
    summed.arrays[result] = &summed.result;
  }
  const auto problem = ProblemOf(summed, result);
  if (!problem) return nullptr;
  op->result_role = result;
  op->kernel = MakeOneDnnConvolution(*problem);
  if (op->kernel == nullptr) return nullptr;
  op->kernel_at = op->plan.Take(op->kernel->scratch_bytes());
  return op;
}

std::unique_ptr<ConvCallOp> StartOp(const Module& module, InstId id) {
  auto op = std::make_unique<ConvCallOp>();
  op->name = std::string(module.name_of(module.inst(id)));
  op->workspaces = Workspaces(module, id, 1);
  return op;
}

// Operands are the two roles that are not the result, `first` first.
void TakeRoles(ConvCall& call, ConvRole result, ConvRole first, ConvCallOp& op) {
  for (const ConvRole role : {kConvInput, kConvFilter, kConvOutput}) {
    const size_t operand = role == first ? 0 : 1;
    call.arrays[role] = role == result ? &call.result : &call.operands[operand];
    op.order[role] = role == result ? call.operands.size() : operand;
  }
}

std::unique_ptr<LibraryOp> MakePlain(const Module& module, InstId id, ConvRole result,
                                     ConvRole first) {
  const Inst& inst = module.inst(id);
  auto call = ReadCall(module, inst);
  const auto config = ReadCudnnConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!call || !config) return nullptr;
  auto op = StartOp(module, id);
  TakeRoles(*call, result, first, *op);
  if (config->result_scale != 1) {
    op->epilogue.emplace(call->result, false).Multiply(config->result_scale);
  }
  return Finish(*call, result, std::move(op));
}

}  // namespace

std::unique_ptr<LibraryOp> MakeConvForwardCallOp(const Module& module, InstId inst) {
  return MakePlain(module, inst, kConvOutput, kConvInput);
}
std::unique_ptr<LibraryOp> MakeConvBackwardInputCallOp(const Module& module, InstId inst) {
  return MakePlain(module, inst, kConvInput, kConvOutput);
}
std::unique_ptr<LibraryOp> MakeConvBackwardFilterCallOp(const Module& module, InstId inst) {
  return MakePlain(module, inst, kConvFilter, kConvInput);
}

// activation(scale * convolution + side_scale * side + bias), with bias along output features.
std::unique_ptr<LibraryOp> MakeConvBiasActivationCallOp(const Module& module, InstId id) {
  const Inst& inst = module.inst(id);
  auto call = ReadCall(module, inst);
  const auto config = ReadCudnnConfig(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!call || !config || !config->activation || call->operands.size() < 3) return nullptr;
  auto op = StartOp(module, id);
  TakeRoles(*call, kConvOutput, kConvInput, *op);
  const Placed& result = call->result;
  const size_t feature = call->labels.output.feature;
  const Placed& bias = call->operands[2];
  if (feature >= result.dims.size() || bias.count() != result.dims[feature] ||
      bias.strides != RowMajorStrides(bias.dims)) {
    return nullptr;
  }
  Epilogue& steps = op->epilogue.emplace(result, false);
  steps.Multiply(config->result_scale);
  if (call->operands.size() > 3 && config->side_scale != 0) {
    const Placed& side = call->operands[3];
    if (side.dims != result.dims) return nullptr;
    steps.Add(3, side.type, side.strides, config->side_scale, op->plan);
  }
  Dims strides(result.dims.size(), 0);
  strides[feature] = 1;
  steps.Add(2, bias.type, strides, 1, op->plan);
  steps.Activate(*config->activation, config->slope);
  return Finish(*call, kConvOutput, std::move(op));
}

}  // namespace halo

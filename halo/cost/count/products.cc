// Dimensions of dots come from their attributes, those of library calls from backend_config, those
// of convolutions from dim_labels and window.
#include "halo/cost/count/products.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/cost/count/library_calls.h"
#include "halo/ir/attributes/window.h"
#include "halo/ir/op_properties.h"
#include "halo/semantics/facts/conv_labels.h"

namespace halo {
namespace {

// Beyond this many kernel positions every one is taken to multiply.
constexpr int64_t kMaxKernelSteps = int64_t{1} << 20;

double ElementsOf(const Module& module, ShapeId shape) {
  return static_cast<double>(module.shapes.ElementCount(shape).value_or(0));
}

// The array that a product computes: element 0 if there is a workspace as well.
ShapeId ProductResult(const Module& module, const Inst& inst) {
  ShapeId shape = inst.shape;
  while (module.shapes.is_tuple(shape) && !module.shapes.elements(shape).empty()) {
    shape = module.shapes.elements(shape)[0];
  }
  return shape;
}

ShapeId OperandShape(const Module& module, const Inst& inst, size_t i) {
  const std::span<const InstId> operands = module.operands_of(inst);
  return i < operands.size() && operands[i].valid() ? module.inst(operands[i]).shape : ShapeId();
}

double ProductOfDims(std::span<const int64_t> dims, std::span<const int64_t> chosen) {
  double product = 1;
  for (const int64_t d : chosen) {
    if (d >= 0 && static_cast<size_t>(d) < dims.size()) {
      product *= static_cast<double>(std::max<int64_t>(dims[static_cast<size_t>(d)], 0));
    }
  }
  return product;
}

struct DotDims {
  std::vector<int64_t> lhs_contracting, rhs_contracting, lhs_batch, rhs_batch;
};

DotDims DimsFromAttributes(const Module& module, const Inst& inst) {
  const auto list = [&](AttrKey key) {
    const std::span<const int64_t> dims = module.IntsOf(inst.attrs, key);
    return std::vector<int64_t>(dims.begin(), dims.end());
  };
  return {list(AttrKey::k_lhs_contracting_dims), list(AttrKey::k_rhs_contracting_dims),
          list(AttrKey::k_lhs_batch_dims), list(AttrKey::k_rhs_batch_dims)};
}

std::optional<DotDims> DimsFromConfig(const Module& module, const Inst& inst) {
  const std::optional<JsonValue> config =
      ParseJson(module.TextOr(inst.attrs, AttrKey::k_backend_config));
  if (!config) return std::nullopt;
  // Newer generations nest the configuration of the library; oneDNN has no dimension numbers.
  const JsonValue& nested = (*config)["gemm_backend_config"];
  const JsonValue& numbers = (nested.is_null() ? *config : nested)["dot_dimension_numbers"];
  if (numbers.is_null()) return std::nullopt;
  return DotDims{numbers["lhs_contracting_dimensions"].AsInts(),
                 numbers["rhs_contracting_dimensions"].AsInts(),
                 numbers["lhs_batch_dimensions"].AsInts(),
                 numbers["rhs_batch_dimensions"].AsInts()};
}

ElementType WiderOf(const Module& module, ShapeId a, ShapeId b) {
  const ElementType left = module.shapes.type(a), right = module.shapes.type(b);
  return InfoOf(right).bits > InfoOf(left).bits ? right : left;
}

std::optional<ProductSize> SizeOfDot(const Module& module, const Inst& inst, const DotDims& dims) {
  const ShapeId lhs = OperandShape(module, inst, 0), rhs = OperandShape(module, inst, 1);
  const ShapeId result = ProductResult(module, inst);
  for (const ShapeId shape : {lhs, rhs, result}) {
    if (!shape.valid() || !module.shapes.is_array(shape)) return std::nullopt;
  }
  ProductSize size;
  size.k = ProductOfDims(module.shapes.dims(lhs), dims.lhs_contracting);
  // Library calls have operands that are used for each matrix of the other.
  const double lhs_batch = ProductOfDims(module.shapes.dims(lhs), dims.lhs_batch);
  const double rhs_batch = ProductOfDims(module.shapes.dims(rhs), dims.rhs_batch);
  size.batch = std::max(lhs_batch, rhs_batch);
  size.m = ElementsOf(module, lhs) / std::max(size.k * lhs_batch, 1.0);
  size.n = ElementsOf(module, rhs) / std::max(size.k * rhs_batch, 1.0);
  size.flops = 2 * ElementsOf(module, result) * size.k;
  size.type = WiderOf(module, lhs, rhs);
  size.result = module.shapes.type(result);
  return size;
}

// How many pairs of an output and a kernel position along one dimension read an input element.
double ValidPositions(const WindowDim& window, int64_t input, int64_t kernel, int64_t output) {
  if (input <= 0 || kernel <= 0 || output <= 0 || window.stride <= 0) return 0;
  const int64_t dilate = std::max<int64_t>(window.lhs_dilate, 1);
  const int64_t period = dilate / std::gcd(window.stride, dilate);
  constexpr int64_t kPlausible = int64_t{1} << 31;
  const auto plausible = [](int64_t value) { return value > -kPlausible && value < kPlausible; };
  const bool small = plausible(input) && plausible(output) && plausible(dilate) &&
                     plausible(window.stride) && plausible(window.pad_low) &&
                     plausible(window.rhs_dilate);
  if (!small || kernel > kMaxKernelSteps / period) {
    return static_cast<double>(kernel) * static_cast<double>(output);
  }
  const int64_t last = (input - 1) * dilate;
  double count = 0;
  for (int64_t at = 0; at < kernel; ++at) {
    // Output positions o with 0 <= o * stride + shift <= last.
    const int64_t shift = at * window.rhs_dilate - window.pad_low;
    const int64_t first = shift >= 0 ? 0 : (-shift + window.stride - 1) / window.stride;
    if (last < shift) continue;
    const int64_t end = std::min(output, (last - shift) / window.stride + 1);
    if (first >= end) continue;
    if (dilate == 1) {
      count += static_cast<double>(end - first);
      continue;
    }
    // Of these, every `period`-th one hits an element instead of a hole between two.
    for (int64_t o = first; o < std::min(end, first + period); ++o) {
      if ((o * window.stride + shift) % dilate != 0) continue;
      count += static_cast<double>((end - 1 - o) / period + 1);
      break;
    }
  }
  return count;
}

std::optional<ProductSize> SizeOfConvolution(const Module& module, const Inst& inst) {
  const auto labels = ParseConvLabels(module.TextOr(inst.attrs, AttrKey::k_dim_labels));
  const ShapeId input = OperandShape(module, inst, 0), kernel = OperandShape(module, inst, 1);
  const ShapeId result = ProductResult(module, inst);
  if (!labels) return std::nullopt;
  for (const ShapeId shape : {input, kernel, result}) {
    if (!shape.valid() || module.shapes.dims(shape).size() != labels->spatial() + 2) {
      return std::nullopt;
    }
  }
  const std::span<const int64_t> in = module.shapes.dims(input);
  const std::span<const int64_t> weights = module.shapes.dims(kernel);
  const std::span<const int64_t> out = module.shapes.dims(result);
  const Attr* attr = module.Find(inst, AttrKey::k_window);
  const Window window = attr == nullptr ? Window() : DecodeWindow(module.list(attr->value));
  const auto groups =
      std::max<int64_t>(module.IntOr(inst.attrs, AttrKey::k_feature_group_count, 1), 1);
  const auto batch_groups =
      std::max<int64_t>(module.IntOr(inst.attrs, AttrKey::k_batch_group_count, 1), 1);
  const auto batch = static_cast<double>(in[labels->input.batch] / batch_groups);
  const auto features = static_cast<double>(in[labels->input.feature] / groups);
  const auto results = static_cast<double>(out[labels->output.feature]);
  double positions = 1, taps = 1, outputs = 1;
  for (size_t i = 0; i < labels->spatial(); ++i) {
    const int64_t taps_here = weights[labels->kernel.spatial[i]];
    const int64_t outputs_here = out[labels->output.spatial[i]];
    const WindowDim dim = i < window.dims.size() ? window.dims[i] : WindowDim();
    positions *= ValidPositions(dim, in[labels->input.spatial[i]], taps_here, outputs_here);
    taps *= static_cast<double>(taps_here);
    outputs *= static_cast<double>(outputs_here);
  }
  ProductSize size;
  size.is_convolution = true;
  size.flops = 2 * batch * features * results * positions;
  size.batch = static_cast<double>(groups);
  size.m = batch * outputs;
  size.n = results / static_cast<double>(groups);
  size.k = features * taps;
  size.type = WiderOf(module, input, kernel);
  size.result = module.shapes.type(result);
  return size;
}

std::optional<ProductSize> SizeOf(const Module& module, const Inst& inst) {
  switch (PropertiesOf(inst.opcode).work) {
    case OpWork::kProduct: return SizeOfDot(module, inst, DimsFromAttributes(module, inst));
    case OpWork::kConvolution: return SizeOfConvolution(module, inst);
    case OpWork::kOfTarget: break;
    default: return std::nullopt;
  }
  switch (LibraryCallOf(module, inst)) {
    case LibraryCall::kGemm: {
      const std::optional<DotDims> dims = DimsFromConfig(module, inst);
      return dims ? SizeOfDot(module, inst, *dims) : std::nullopt;
    }
    case LibraryCall::kConvolution: return SizeOfConvolution(module, inst);
    default: return std::nullopt;
  }
}

bool AsksForPrecision(const Module& module, const Inst& inst) {
  if (PropertiesOf(inst.opcode).work == OpWork::kOfTarget) {
    const std::string_view config = module.TextOr(inst.attrs, AttrKey::k_backend_config);
    return config.find("HIGHEST") != std::string_view::npos;
  }
  for (const int64_t word : module.IntsOf(inst.attrs, AttrKey::k_operand_precision)) {
    if (module.text(StrId(static_cast<uint32_t>(word))) == "highest") return true;
  }
  return false;
}

}  // namespace

std::optional<ProductSize> ProductOf(const Module& module, const Inst& inst) {
  std::optional<ProductSize> size = SizeOf(module, inst);
  if (size) size->full_precision = AsksForPrecision(module, inst);
  return size;
}

}  // namespace halo

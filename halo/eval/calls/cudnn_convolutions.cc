// cuDNN's convolutions. Forward, backward-input and backward-filter convolutions share one relation
// between input, filter and output elements, output[b, o, y] ~ input[b, i, y * stride + k *
// dilation - pad] * filter[o, i, k]. Each sums into whichever of the three arrays is not given.
// Window and labels are always those of the forward convolution.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/eval/calls/activations.h"
#include "halo/eval/calls/call_support.h"
#include "halo/eval/calls/cudnn_config.h"
#include "halo/eval/calls/known_calls.h"
#include "halo/ir/attributes/window.h"
#include "halo/semantics/facts/conv_labels.h"

namespace halo {
namespace {

enum Role : uint8_t { kInput, kFilter, kOutput };

// One of the three arrays. Its named dimensions are batch and feature; for a filter, output and
// input features.
struct Side {
  ConvSide labels;
  Dims dims, strides;
  std::vector<double> values;

  [[nodiscard]] int64_t first() const { return dims[labels.batch]; }
  [[nodiscard]] int64_t second() const { return dims[labels.feature]; }
  [[nodiscard]] int64_t first_stride() const { return strides[labels.batch]; }
  [[nodiscard]] int64_t second_stride() const { return strides[labels.feature]; }
  [[nodiscard]] int64_t space(size_t i) const { return dims[labels.spatial[i]]; }
  [[nodiscard]] int64_t space_stride(size_t i) const { return strides[labels.spatial[i]]; }
};

struct Convolution {
  std::array<Side, 3> sides;
  Window window;
  int64_t groups = 1;

  [[nodiscard]] size_t rank() const { return window.dims.size(); }
  // Computes the offsets of an output position, a filter position and the input element they pair
  // with. Returns false if that element is outside the input.
  [[nodiscard]] bool Meet(std::span<const int64_t> y, std::span<const int64_t> k,
                          std::array<int64_t, 3>& offsets) const;
  void Sum(Role into, std::array<int64_t, 3> offsets);
};

bool Convolution::Meet(std::span<const int64_t> y, std::span<const int64_t> k,
                       std::array<int64_t, 3>& offsets) const {
  offsets = {};
  for (size_t i = 0; i < rank(); ++i) {
    const WindowDim& dim = window.dims[i];
    int64_t x = 0;
    int64_t reach = 0;
    if (__builtin_mul_overflow(y[i], dim.stride, &x) ||
        __builtin_mul_overflow(k[i], dim.rhs_dilate, &reach) ||
        __builtin_add_overflow(x, reach, &x) || __builtin_sub_overflow(x, dim.pad_low, &x)) {
      return false;
    }
    if (x < 0 || x % dim.lhs_dilate != 0) return false;
    x /= dim.lhs_dilate;
    if (x >= sides[kInput].space(i)) return false;
    offsets[kInput] += x * sides[kInput].space_stride(i);
    offsets[kFilter] +=
        (dim.reversal ? dim.size - 1 - k[i] : k[i]) * sides[kFilter].space_stride(i);
    offsets[kOutput] += y[i] * sides[kOutput].space_stride(i);
  }
  return true;
}

// Accumulates over all batches and features for one combination of positions.
void Convolution::Sum(Role into, std::array<int64_t, 3> offsets) {
  Side& input = sides[kInput];
  Side& filter = sides[kFilter];
  Side& output = sides[kOutput];
  const int64_t in_features = filter.second();
  const int64_t out_features = filter.first() / groups;
  const auto at = [](Side& side, int64_t offset) -> double& {
    return side.values[static_cast<size_t>(offset)];
  };
  for (int64_t b = 0; b < input.first(); ++b) {
    for (int64_t o = 0; o < filter.first(); ++o) {
      const int64_t first_in = o / out_features * in_features;
      const int64_t out_at =
          offsets[kOutput] + b * output.first_stride() + o * output.second_stride();
      for (int64_t i = 0; i < in_features; ++i) {
        double& in = at(input, offsets[kInput] + b * input.first_stride() +
                                   (first_in + i) * input.second_stride());
        double& weight =
            at(filter, offsets[kFilter] + o * filter.first_stride() + i * filter.second_stride());
        double& out = at(output, out_at);
        if (into == kOutput) out += in * weight;
        if (into == kInput) in += out * weight;
        if (into == kFilter) weight += out * in;
      }
    }
  }
}

// Returns which requirement of the call the sizes violate; empty if none.
std::string_view WhatDoesNotFit(const Convolution& conv) {
  const auto& [input, filter, output] = conv.sides;
  const size_t rank = conv.rank();
  for (const Side& side : conv.sides) {
    if (side.labels.spatial.size() != rank || side.dims.size() != rank + 2) {
      return "its labels, window and arrays differ in rank";
    }
  }
  if (conv.groups <= 0 || filter.first() % conv.groups != 0 ||
      filter.second() * conv.groups != input.second()) {
    return "the features of its input, filter and groups do not fit";
  }
  if (input.first() != output.first() || filter.first() != output.second()) {
    return "its output has other batches or features than input and filter";
  }
  for (size_t i = 0; i < rank; ++i) {
    const WindowDim& dim = conv.window.dims[i];
    if (dim.size != filter.space(i)) return "its window is not as large as its filter";
    if (dim.stride <= 0 || dim.lhs_dilate <= 0 || dim.rhs_dilate <= 0) {
      return "strides and dilations are positive";
    }
  }
  return {};
}

Result<Convolution> ReadConvolution(OpContext& cx, Role result, Role first) {
  if (auto bad = NeedArrays(cx, 2)) return *std::move(bad);
  Convolution conv;
  conv.window = DecodeWindow(cx.ints(AttrKey::k_window));
  conv.groups = cx.integer(AttrKey::k_feature_group_count, 1);
  const std::optional<ConvLabels> labels = ParseConvLabels(cx.text(AttrKey::k_dim_labels));
  if (!labels) return BadCall(cx, "its dim_labels are malformed");
  conv.sides[kInput].labels = labels->input;
  conv.sides[kFilter].labels = labels->kernel;
  std::swap(conv.sides[kFilter].labels.batch, conv.sides[kFilter].labels.feature);
  conv.sides[kOutput].labels = labels->output;
  const ShapeId declared = cx.shape(0);
  if (!cx.module.shapes.is_array(declared)) return BadCall(cx, "its result is no array");
  for (const Role role : {kInput, kFilter, kOutput}) {
    Side& side = conv.sides[role];
    const std::span<const int64_t> dims =
        role == result ? cx.module.shapes.dims(declared) : cx.array(role == first ? 0 : 1).dims();
    side.dims.assign(dims.begin(), dims.end());
    if (side.dims.size() != side.labels.spatial.size() + 2) {
      return BadCall(cx, "its labels and arrays differ in rank");
    }
    side.strides = RowMajorStrides(side.dims);
    if (role == result) {
      const int64_t count = ElementsIn(side.dims);
      if (auto full = cx.CheckBudget(count * 8)) return *std::move(full);
      side.values.assign(static_cast<size_t>(count), 0.0);
      continue;
    }
    Result<std::vector<double>> values = LoadDoubles(cx, cx.array(role == first ? 0 : 1));
    if (!values) return values.error();
    side.values = *std::move(values);
  }
  if (const std::string_view wrong = WhatDoesNotFit(conv); !wrong.empty()) {
    return BadCall(cx, std::string(wrong));
  }
  return conv;
}

Result<Convolution> Convolve(OpContext& cx, Role result, Role first) {
  Result<Convolution> conv = ReadConvolution(cx, result, first);
  if (!conv) return conv;
  const size_t rank = conv->rank();
  Dims outputs(rank);
  Dims kernels(rank);
  for (size_t i = 0; i < rank; ++i) {
    outputs[i] = conv->sides[kOutput].space(i);
    kernels[i] = conv->sides[kFilter].space(i);
  }
  if (ElementsIn(outputs) == 0 || ElementsIn(kernels) == 0) return conv;
  const int64_t work = ProductOrMax({conv->sides[kInput].first(), conv->sides[kFilter].first(),
                                     conv->sides[kFilter].second(), ElementsIn(kernels)});
  if (work == 0) return conv;  // no terms, however many positions there are
  Dims y(rank);
  do {
    if (auto spent = cx.Spend(work)) return *std::move(spent);
    Dims k(rank);
    do {
      std::array<int64_t, 3> offsets;
      if (conv->Meet(y, k, offsets)) conv->Sum(result, offsets);
    } while (NextIndex(kernels, k));
  } while (NextIndex(outputs, y));
  return conv;
}

Result<CudnnConfig> ReadConfig(const OpContext& cx) {
  if (auto config = ReadCudnnConfig(cx.text(AttrKey::k_backend_config))) return *config;
  return BadConfig(cx);
}

Result<Value> PlainConvolution(OpContext& cx, Role result, Role first) {
  Result<Convolution> conv = Convolve(cx, result, first);
  if (!conv) return conv.error();
  const Result<CudnnConfig> config = ReadConfig(cx);
  if (!config) return config.error();
  const double scale = config->result_scale;
  Side& side = conv->sides[result];
  for (double& value : side.values) value *= scale;
  return FinishCall(cx, {StoreDoubles(cx, ElementType::kF64, side.dims, side.values)});
}

// Computes activation(scale * convolution + side_scale * side + bias), with the bias along output
// features.
Result<Value> BiasActivation(OpContext& cx) {
  if (auto bad = NeedArrays(cx, std::max<size_t>(3, cx.operands.size()))) return *std::move(bad);
  const Array bias_array = cx.array(2);
  std::optional<Array> side_array;
  if (cx.operands.size() > 3) side_array = cx.array(3);
  const Result<CudnnConfig> config = ReadConfig(cx);
  if (!config) return config.error();
  if (!config->activation) return BadCall(cx, "unknown activation");

  Result<Convolution> conv = Convolve(cx, kOutput, kInput);
  if (!conv) return conv.error();
  Side& out = conv->sides[kOutput];
  Result<std::vector<double>> bias = LoadDoubles(cx, bias_array);
  if (!bias) return bias.error();
  if (static_cast<int64_t>(bias->size()) != out.second()) {
    return BadCall(cx, "its bias has another length than the output has features");
  }
  std::vector<double> side(out.values.size());
  if (side_array) {
    Result<std::vector<double>> loaded = LoadDoubles(cx, *side_array);
    if (!loaded) return loaded.error();
    if (loaded->size() != side.size()) return BadCall(cx, "its side input does not fit");
    side = *std::move(loaded);
  }
  const double scale = config->result_scale;
  const double side_scale = config->side_scale;
  for (size_t i = 0; i < out.values.size(); ++i) {
    const int64_t feature = static_cast<int64_t>(i) / out.second_stride() % out.second();
    const double sum = scale * out.values[i] + (side_scale == 0 ? 0.0 : side_scale * side[i]) +
                       (*bias)[static_cast<size_t>(feature)];
    out.values[i] = Activate(*config->activation, sum, config->slope);
  }
  return FinishCall(cx, {StoreDoubles(cx, ElementType::kF64, out.dims, out.values)});
}

}  // namespace

void RegisterCudnn(CustomCallRegistry& registry) {
  registry.Register("__cudnn$convForward",
                    [](OpContext& cx) { return PlainConvolution(cx, kOutput, kInput); });
  registry.Register("__cudnn$convBackwardInput",
                    [](OpContext& cx) { return PlainConvolution(cx, kInput, kOutput); });
  registry.Register("__cudnn$convBackwardFilter",
                    [](OpContext& cx) { return PlainConvolution(cx, kFilter, kInput); });
  registry.Register("__cudnn$convBiasActivationForward", BiasActivation);
}

}  // namespace halo

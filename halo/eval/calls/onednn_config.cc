// The names of oneDNN's post-operations as XLA writes them.
#include "halo/eval/calls/onednn_config.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace halo {
namespace {

std::optional<OneDnnPostOp> FusedOpFromText(std::string_view text, double alpha) {
  constexpr std::pair<std::string_view, Activation> kActivations[] = {
      {"RELU", Activation::kRelu},        {"TANH", Activation::kTanh},
      {"GELU_ERF", Activation::kGeluErf}, {"GELU_TANH", Activation::kGeluTanh},
      {"ELU", Activation::kElu},          {"RELU6", Activation::kRelu6},
      {"SIGMOID", Activation::kSigmoid},  {"SWISH", Activation::kSilu}};
  OneDnnPostOp out;
  out.slope = alpha;
  if (text == "BIAS" || text == "BINARY_ADD" || text == "SUM") {
    out.adds = true;
    return out;
  }
  if (text == "LINEAR") {
    out.factor = alpha;
    return out;
  }
  for (const auto& [name, activation] : kActivations) {
    if (name == text) out.activation = activation;
  }
  if (out.activation == Activation::kNone) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::vector<OneDnnPostOp>> ReadFusedOps(const JsonValue& fusions) {
  const std::vector<JsonValue>& alphas = fusions["alpha"].items;
  const double alpha = alphas.empty() ? 1.0 : alphas[0].AsDouble(1.0);
  std::vector<OneDnnPostOp> ops;
  for (const JsonValue& item : fusions["ops"].items) {
    const auto op = FusedOpFromText(item.AsString(), alpha);
    if (!op) return std::nullopt;
    ops.push_back(*op);
  }
  return ops;
}

bool AreOneDnnTypes(std::initializer_list<ElementType> types) {
  return std::ranges::all_of(
      types, [](ElementType type) { return InfoOf(type).klass == ElementClass::kFloat; });
}

}  // namespace halo

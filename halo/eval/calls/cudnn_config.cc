// The fields are in a nested object or, in older programs, at the top level.
#include "halo/eval/calls/cudnn_config.h"

#include "halo/eval/calls/call_support.h"

namespace halo {
namespace {

std::optional<Activation> ActivationFromText(std::string_view text) {
  if (text.empty() || text == "kNone") return Activation::kNone;
  if (text == "kRelu" || text == "kReluX") return Activation::kRelu;
  if (text == "kRelu6") return Activation::kRelu6;
  if (text == "kElu") return Activation::kElu;
  if (text == "kLeakyRelu") return Activation::kLeakyRelu;
  if (text == "kSigmoid") return Activation::kSigmoid;
  if (text == "kTanh") return Activation::kTanh;
  return std::nullopt;
}

}  // namespace

std::optional<CudnnConfig> ReadCudnnConfig(std::string_view text) {
  const auto config = ParseCallConfig(text);
  if (!config) return std::nullopt;
  const JsonValue& nested = (*config)["cudnn_conv_backend_config"];
  const JsonValue& fields = nested.is_object() ? nested : *config;
  CudnnConfig out;
  out.result_scale = fields["conv_result_scale"].AsDouble(1.0);
  out.side_scale = fields["side_input_scale"].AsDouble(0.0);
  out.activation = ActivationFromText(fields["activation_mode"].AsString());
  out.slope = out.activation == Activation::kElu ? 1.0 : fields["leakyrelu_alpha"].AsDouble(0);
  return out;
}

}  // namespace halo

// A kernel computes products of the size of the scores: two forwards, three for the gradient of the
// queries, four for that of keys and values, five for all gradients at once.
#include "halo/cost/count/attention_flops.h"

#include <string_view>
#include <vector>

namespace halo {
namespace {

constexpr std::string_view kSplash = "splash_mha_";
constexpr double kCausal = 0.5;

// Arrays of floats with a sequence, a head dimension and more: queries, keys, values, gradients.
bool IsSequence(const Module& module, ShapeId shape) {
  return module.shapes.is_array(shape) && module.shapes.dims(shape).size() >= 3 &&
         InfoOf(module.shapes.type(shape)).klass == ElementClass::kFloat;
}

}  // namespace

std::optional<Attention> AttentionOf(const Module& module, const Inst& inst) {
  if (module.TextOr(inst.attrs, AttrKey::k_custom_call_target) != "tpu_custom_call") return {};
  const std::string_view name = module.name_of(inst);
  const size_t at = name.find(kSplash);
  if (at == std::string_view::npos) return {};
  std::vector<ShapeId> sequences;
  for (const InstId operand : module.operands_of(inst)) {
    if (!operand.valid()) continue;
    const ShapeId shape = module.inst(operand).shape;
    if (IsSequence(module, shape)) sequences.push_back(shape);
  }
  if (sequences.size() < 3) return {};
  size_t results = 0;
  for (const ShapeId part : module.shapes.elements(inst.shape)) {
    if (IsSequence(module, part)) ++results;
  }
  const std::string_view kind = name.substr(at + kSplash.size());
  double products = 2;
  if (kind.starts_with("dq")) products = 3;
  if (kind.starts_with("dkv")) products = results > 2 ? 5 : 4;
  const std::span<const int64_t> keys = module.shapes.dims(sequences[1]);
  const double queries = static_cast<double>(module.shapes.ElementCount(sequences[0]).value_or(0));
  Attention attention;
  attention.type = module.shapes.type(sequences[0]);
  attention.flops = 2 * products * queries * static_cast<double>(keys[keys.size() - 2]) * kCausal;
  return attention;
}

}  // namespace halo

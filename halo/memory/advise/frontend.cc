// JAX writes its transformations into op_name (jit(f)/jvp(g)/mul), PyTorch/XLA names the operators
// of PyTorch (aten__mm), TensorFlow gives the type of the node that made an instruction (MatMul).
#include "halo/memory/advise/frontend.h"

#include <algorithm>
#include <array>

namespace halo {
namespace {

bool IsJaxName(std::string_view name) {
  static constexpr std::array<std::string_view, 7> kStarts = {
      "jit(", "pjit(", "pmap(", "jvp(", "transpose(jvp(", "xla_call(", "vmap("};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

bool IsTorchName(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kStarts = {"aten__", "xla__", "prim__"};
  return std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return name.starts_with(start); });
}

}  // namespace

std::string_view FrontendName(Frontend frontend) {
  switch (frontend) {
    case Frontend::kUnknown: return {};
    case Frontend::kJax: return "JAX";
    case Frontend::kTorchXla: return "PyTorch/XLA";
    case Frontend::kTensorFlow: return "TensorFlow";
  }
  return {};
}

Frontend DetectFrontend(const Module& module) {
  size_t jax = 0, torch = 0, tensorflow = 0;
  for (uint32_t list = 0; list < module.attr_lists.size(); ++list) {
    for (const Attr& attr : module.attrs_of(AttrListId(list))) {
      if (attr.key != AttrKey::k_op_name && attr.key != AttrKey::k_op_type) continue;
      const std::string_view text = module.text(StrId(attr.value));
      if (IsTorchName(text)) {
        ++torch;
      } else if (attr.key == AttrKey::k_op_name) {
        jax += IsJaxName(text) ? 1 : 0;
      } else if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
        ++tensorflow;
      }
    }
  }
  if (jax == 0 && torch == 0 && tensorflow == 0) return Frontend::kUnknown;
  if (jax >= torch && jax >= tensorflow) return Frontend::kJax;
  return torch >= tensorflow ? Frontend::kTorchXla : Frontend::kTensorFlow;
}

}  // namespace halo

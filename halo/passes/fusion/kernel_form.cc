// One text for each form.
#include "halo/passes/fusion/kernel_form.h"

#include <string_view>

namespace halo {
namespace {

struct FormText {
  KernelForm form;
  std::string_view kind, config;
};
constexpr std::array kFormTexts = {
    FormText{KernelForm::kLoop, "kLoop", R"({"kernel_form":"loop"})"},
    FormText{KernelForm::kRow, "kInput", R"({"kernel_form":"row"})"},
    FormText{KernelForm::kColumn, "kInput", R"({"kernel_form":"column"})"},
    FormText{KernelForm::kUpdate, "kLoop", R"({"kernel_form":"update"})"},
};

}  // namespace

std::array<Attr, 2> FormAttrs(Module& tables, KernelForm form) {
  const FormText& text = kFormTexts[static_cast<size_t>(form)];
  return {tables.MakeText(AttrKey::k_kind, text.kind),
          tables.MakeText(AttrKey::k_backend_config, text.config, AttrForm::kBare)};
}

std::optional<KernelForm> StoredForm(const Module& module, const Inst& inst) {
  if (inst.opcode != Opcode::kFusion) return std::nullopt;
  const std::string_view config = module.TextOr(inst.attrs, AttrKey::k_backend_config);
  for (const FormText& each : kFormTexts) {
    if (each.config == config) return each.form;
  }
  return std::nullopt;
}

bool HasReductionForm(const Module& module, const Inst& inst) {
  if (inst.opcode == Opcode::kReduce) return true;
  return inst.opcode == Opcode::kFusion && module.TextOr(inst.attrs, AttrKey::k_kind) == "kInput";
}

}  // namespace halo

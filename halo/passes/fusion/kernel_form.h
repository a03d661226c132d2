// The form of the kernel that a fusion becomes. Fusion chooses it and writes it into the
// instruction; lowering reads it back from there. If lowering refuses the kernel all the same, it
// is split (codegen/split_kernels.h).
#ifndef HALO_PASSES_FUSION_KERNEL_FORM_H_
#define HALO_PASSES_FUSION_KERNEL_FORM_H_

#include <cstdint>

#include "halo/ir/module.h"

namespace halo {

enum class KernelForm : uint8_t {
  kLoop,    // one element of every result per index of the domain
  kRow,     // reductions of the domain's minor dimensions; results have its shape or that of its
            // rows
  kColumn,  // reductions that keep the minor dimension, followed by elementwise ops
  kUpdate,  // an in-place dynamic-update-slice; the domain is that of its update
};

// The attribute in which a fusion stores its form.
inline Attr FormAttr(Module& tables, KernelForm form) {
  const bool reduces = form == KernelForm::kRow || form == KernelForm::kColumn;
  return tables.MakeText(AttrKey::k_kind, reduces ? "kInput" : "kLoop");
}

// True if the kernel of this instruction has the form of rows or of columns.
inline bool HasReductionForm(const Module& module, const Inst& inst) {
  if (inst.opcode == Opcode::kReduce) return true;
  return inst.opcode == Opcode::kFusion && module.TextOr(inst.attrs, AttrKey::k_kind) == "kInput";
}

}  // namespace halo

#endif  // HALO_PASSES_FUSION_KERNEL_FORM_H_

// The form of the kernel that a fusion becomes. Fusion chooses it and writes it into the
// instruction; lowering reads it back from there. If lowering refuses the kernel all the same, it
// is split (codegen/split_kernels.h).
#ifndef HALO_PASSES_FUSION_KERNEL_FORM_H_
#define HALO_PASSES_FUSION_KERNEL_FORM_H_

#include <array>
#include <cstdint>
#include <optional>

#include "halo/ir/module.h"

namespace halo {

enum class KernelForm : uint8_t {
  kLoop,    // one element of every result per index of the domain
  kRow,     // reductions of the domain's minor dimensions; results have its shape or that of its
            // rows
  kColumn,  // reductions that keep the minor dimension, followed by elementwise ops
  kUpdate,  // an in-place dynamic-update-slice; the domain is that of its update
};

// The attributes of a fusion of that form: the kind that XLA has for it, and the form itself as
// backend_config.
std::array<Attr, 2> FormAttrs(Module& tables, KernelForm form);

// The form that an instruction stores: none but for fusions that were made here.
std::optional<KernelForm> StoredForm(const Module& module, const Inst& inst);

// True if the kernel of this instruction has, or may have, the form of rows or of columns.
bool HasReductionForm(const Module& module, const Inst& inst);

}  // namespace halo

#endif  // HALO_PASSES_FUSION_KERNEL_FORM_H_

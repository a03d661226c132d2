// Texts that are equal exactly for kernels that compute the same from buffers of the same form:
// instructions by number, shapes with layouts, attributes and constants that matter.
#ifndef HALO_CODEGEN_KERNEL_KERNEL_KEY_H_
#define HALO_CODEGEN_KERNEL_KERNEL_KEY_H_

#include <string>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

std::string KernelKey(const Module& module, InstId inst);

// A short name for a key, fit for a symbol.
std::string KeySymbol(std::string_view key);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_KERNEL_KEY_H_

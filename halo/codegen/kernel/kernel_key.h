// Strings that are equal exactly for kernels that compute the same from buffers of the same form.
// They contain numbered instructions, shapes with layouts, and the attributes and constants that
// matter.
#ifndef HALO_CODEGEN_KERNEL_KERNEL_KEY_H_
#define HALO_CODEGEN_KERNEL_KERNEL_KEY_H_

#include <string>
#include <string_view>

#include "halo/ir/module.h"

namespace halo {

std::string KernelKey(const Module& module, InstId inst);

// A short name for a key, usable as a symbol.
std::string KeySymbol(std::string_view key);

}  // namespace halo

#endif  // HALO_CODEGEN_KERNEL_KERNEL_KEY_H_

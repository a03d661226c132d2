// Splits fusions that lowering refuses into kernels that it accepts. Fusion estimates how large a
// kernel becomes; only lowering knows. A value in the middle of the fusion gets a separate kernel
// and is read from memory by the rest, again and again, until every part is accepted or consists of
// one instruction. Which fusions are refused is left to make_executable.h.
#ifndef HALO_CODEGEN_SPLIT_KERNELS_H_
#define HALO_CODEGEN_SPLIT_KERNELS_H_

#include <cstdint>
#include <set>
#include <string>

#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

// `refused` are keys of kernels (codegen/kernel/kernel_key.h). Returns true if the module changed.
bool SplitKernels(Module& module, const std::set<std::string>& refused, int64_t max_kernel_values,
                  PassLog& log);

}  // namespace halo

#endif  // HALO_CODEGEN_SPLIT_KERNELS_H_

// Lowers an instruction to LLVM functions: fusions, elementwise ops, data movement, reductions.
// Decides the loops, their order and what is kept in registers; halo/codegen/jit/jit.h turns the
// functions into machine code.
#ifndef HALO_CODEGEN_FORMS_LOWER_KERNEL_H_
#define HALO_CODEGEN_FORMS_LOWER_KERNEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halo/codegen/kernel/kernel_body.h"
#include "halo/ir/module.h"
#include "halo/runtime/kernel_call.h"

namespace llvm {
class Module;
}

namespace halo {

// The functions of one instruction. Instructions with equal keys compute the same, so only one of
// them is compiled.
struct LoweredKernel {
  std::string key;                // also names the symbols: equal keys have equal symbols
  std::vector<KernelCall> calls;  // in order; function pointers are set after compilation
  int64_t temp_bytes = 0;         // after the results' buffers; shared by the calls
  // Adds the functions named in `calls` to an LLVM module.
  std::function<void(llvm::Module&)> emit;
  int64_t emitted = 0;  // number of LLVM instructions in these functions
};

// Returns nullopt if generated code does not cover the instruction; `why` then says what is
// missing.
std::optional<LoweredKernel> LowerKernel(const Module& module, InstId inst, std::string& why,
                                         int64_t max_values = kMaxKernelValues);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOWER_KERNEL_H_

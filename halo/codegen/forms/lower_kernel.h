// From an instruction of a module to LLVM functions: fusions, elementwise ops, data movement,
// reductions. Decides loops, their order and what is kept in registers; halo/codegen/jit/jit.h
// makes machine code of it.
#ifndef HALO_CODEGEN_FORMS_LOWER_KERNEL_H_
#define HALO_CODEGEN_FORMS_LOWER_KERNEL_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halo/ir/module.h"
#include "halo/runtime/kernel_call.h"

namespace llvm {
class Module;
}

namespace halo {

// The functions of one instruction. Equal keys compute the same, so that one of them is compiled.
struct LoweredKernel {
  std::string key;                // names the symbols too: equal keys, equal symbols
  std::vector<KernelCall> calls;  // in order; their functions are found after compiling
  int64_t temp_bytes = 0;         // memory behind the results' buffers, shared by the calls
  // Adds the functions `calls` names to an LLVM module.
  std::function<void(llvm::Module&)> emit;
};

// Nothing if generated code does not cover the instruction; `why` then says what is missing.
std::optional<LoweredKernel> LowerKernel(const Module& module, InstId inst, std::string& why);

}  // namespace halo

#endif  // HALO_CODEGEN_FORMS_LOWER_KERNEL_H_

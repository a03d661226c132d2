// Builds the executable of a prepared module: its memory comes from the buffer assignment, and each
// instruction that computes something becomes a step. The function pointers of kernel calls are
// filled in after compilation.
#ifndef HALO_CODEGEN_MAKE_EXECUTABLE_H_
#define HALO_CODEGEN_MAKE_EXECUTABLE_H_

#include <set>
#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/kernel/kernel_body.h"
#include "halo/codegen/prepare.h"
#include "halo/eval/evaluate.h"
#include "halo/runtime/executable.h"

namespace halo {

struct ExecutableOptions {
  EvalOptions eval;  // how elided constants are filled; which device of how many this is
  bool uses_kernels = true;
  bool uses_libraries = true;
  bool joins_loops = true;  // false: every step of a loop is run, timed and watched by itself
  int64_t max_kernel_values = kMaxKernelValues;
};

struct PlannedModule {
  Executable plan;
  std::vector<JitUnit> units;     // unique; kernel calls name their symbols
  std::set<std::string> refused;  // keys of fusions that became steps of the evaluator
};

// Both arguments must outlive the executable if it has collectives.
Result<PlannedModule> MakeExecutable(const PreparedModule& prepared,
                                     const ExecutableOptions& options);

}  // namespace halo

#endif  // HALO_CODEGEN_MAKE_EXECUTABLE_H_

// Builds the executable of a prepared module: its memory comes from the buffer assignment, and each
// instruction that computes something becomes a step. The function pointers of kernel calls are
// filled in after compilation.
#ifndef HALO_CODEGEN_MAKE_EXECUTABLE_H_
#define HALO_CODEGEN_MAKE_EXECUTABLE_H_

#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/prepare.h"
#include "halo/eval/evaluate.h"
#include "halo/runtime/executable.h"

namespace halo {

struct ExecutableOptions {
  EvalOptions eval;  // how elided constants are filled; which device of how many this is
  bool uses_kernels = true;
  bool uses_libraries = true;
};

struct PlannedModule {
  Executable plan;
  std::vector<JitUnit> units;  // unique; kernel calls name their symbols
};

// Both arguments must outlive the executable if it has collectives.
Result<PlannedModule> MakeExecutable(const PreparedModule& prepared,
                                     const ExecutableOptions& options);

}  // namespace halo

#endif  // HALO_CODEGEN_MAKE_EXECUTABLE_H_

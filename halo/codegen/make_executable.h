// The plan of a prepared module: memory from its assignment, a step for each instruction that
// computes. Which code a kernel's step calls is filled in after compiling.
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
  EvalOptions eval;  // how constants left out are filled; which device of how many this is
  bool uses_kernels = true;
  bool uses_libraries = true;
};

struct PlannedModule {
  Executable plan;
  std::vector<JitUnit> units;  // distinct; the steps' calls name their symbols
};

// Both must outlive the plan if it has collectives.
Result<PlannedModule> MakeExecutable(const PreparedModule& prepared,
                                     const ExecutableOptions& options);

}  // namespace halo

#endif  // HALO_CODEGEN_MAKE_EXECUTABLE_H_

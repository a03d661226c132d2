// Compiles a module to run on this machine. The passes prepare it and its memory is assigned; each
// instruction goes to a library, to generated code or to the evaluator; then the code is compiled.
#ifndef HALO_CODEGEN_COMPILE_H_
#define HALO_CODEGEN_COMPILE_H_

#include <memory>
#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/codegen/jit/jit.h"
#include "halo/codegen/make_executable.h"
#include "halo/codegen/prepare.h"
#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"
#include "halo/runtime/executable.h"

namespace halo {

struct CompileOptions {
  PrepareOptions prepare;
  JitOptions jit;
  // With both off, the evaluator runs everything. Use this to find out which component is wrong.
  bool uses_kernels = true;
  bool uses_libraries = true;
  bool joins_loops = true;                       // loops of small kernels become one function each
  int64_t max_kernel_values = kMaxKernelValues;  // larger fusions are split
  EvalOptions eval;
  int64_t max_bytes = INT64_MAX;  // total size of the executable
};

struct CompiledModule {
  PreparedModule prepared;
  ExecutableOptions planning;  // the executable's collectives refer to it
  Executable plan;
  JitCounts counts;
  double prepare_seconds = 0, compile_seconds = 0;
  std::unique_ptr<Jit> jit;  // owns the code that the executable's calls point to

  [[nodiscard]] const Module& module() const { return prepared.module; }
};

// The module must have passed the verifier.
Result<std::unique_ptr<CompiledModule>> CompileModule(const Module& module,
                                                      const CompileOptions& options);

}  // namespace halo

#endif  // HALO_CODEGEN_COMPILE_H_

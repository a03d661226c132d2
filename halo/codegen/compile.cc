// Turns a parsed module into runnable code: prepare, make the executable, compile its kernels.
#include "halo/codegen/compile.h"

#include <chrono>
#include <utility>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/base/strings/escape.h"
#include "halo/base/strings/human_size.h"
#include "halo/codegen/limit_libraries.h"
#include "halo/codegen/make_executable.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/runtime/cpu_level.h"

namespace halo {
namespace {

double Since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::optional<Diagnostic> LinkCalls(const Jit& jit, Executable& plan) {
  const std::vector<bool> is_run = RunBlocks(plan);
  for (size_t i = 0; i < plan.blocks.size(); ++i) {
    if (!is_run[i]) continue;
    for (Step& step : plan.blocks[i].steps) {
      for (KernelCall& call : step.calls) {
        call.function = jit.Find(call.symbol);
        if (call.function == nullptr) {
          return MakeBinaryDiagnostic(diag::kCannotPlan, 0,
                                      "no code was generated for " + call.symbol);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<CompiledModule>> CompileModule(const Module& module,
                                                      const CompileOptions& options) {
  if (const auto limit = UnknownCpuLimit()) {
    return MakeBinaryDiagnostic(diag::kUnknownIsa, 0,
                                "HALO_MAX_ISA=" + CEscaped(*limit) + " names no limit");
  }
  LimitLibraries();
  auto compiled = std::make_unique<CompiledModule>();
  const auto begin = std::chrono::steady_clock::now();
  PrepareOptions prepare = options.prepare;
  prepare.has_devices = options.eval.replicas * options.eval.partitions > 1;
  prepare.is_single_device = !prepare.has_devices;
  prepare.max_kernel_values = options.max_kernel_values;
  compiled->planning = {.eval = options.eval,
                        .uses_kernels = options.uses_kernels,
                        .uses_libraries = options.uses_libraries,
                        .joins_loops = options.joins_loops,
                        .max_kernel_values = options.max_kernel_values};
  Result<PlannedModule> planned = PlannedModule{};
  // A second time only if lowering refuses fusions, which are split then.
  for (int round = 0; round < 2; ++round) {
    Result<PreparedModule> prepared = PrepareModule(module, prepare);
    if (!prepared.ok()) return prepared.error();
    compiled->prepared = std::move(*prepared);
    planned = MakeExecutable(compiled->prepared, compiled->planning);
    if (!planned.ok()) return planned.error();
    if (planned->refused.empty()) break;
    prepare.refused = std::move(planned->refused);
  }
  compiled->plan = std::move(planned->plan);
  compiled->prepare_seconds = Since(begin);
  if (compiled->plan.TotalBytes() > options.max_bytes) {
    return MakeBinaryDiagnostic(diag::kMemoryLimit, 0,
                                "the plan needs " + HumanBytes(compiled->plan.TotalBytes()) +
                                    ", which exceeds the limit of " +
                                    HumanBytes(options.max_bytes));
  }
  const auto middle = std::chrono::steady_clock::now();
  Result<std::unique_ptr<Jit>> jit = Jit::Create(options.jit);
  if (!jit.ok()) return jit.error();
  compiled->jit = std::move(*jit);
  const Result<JitCounts> counts = compiled->jit->Compile(planned->units);
  if (!counts.ok()) return counts.error();
  compiled->counts = *counts;
  if (std::optional<Diagnostic> failed = LinkCalls(*compiled->jit, compiled->plan)) return *failed;
  compiled->compile_seconds = Since(middle);
  return compiled;
}

}  // namespace halo

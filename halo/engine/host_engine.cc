// Compiles, binds, runs as often as asked, and tells what it took.
#include "halo/engine/host_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "halo/codegen/compile.h"
#include "halo/engine/profile.h"
#include "halo/passes/pipeline.h"
#include "halo/runtime/execute.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

class HostEngine : public CompiledEngine {
 public:
  Result<EvalOutput> Run(const Module& module, std::vector<Value> arguments,
                         const EvalOptions& options, const CompiledRunOptions& how,
                         CompiledRunReport& report) override;
};

bool IsTransfer(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kInfeed:
    case Opcode::kOutfeed: return true;
    default: return false;
  }
}

std::string WhyNot(const Module& module) {
  for (const Inst& inst : module.insts) {
    if (IsTransfer(inst.opcode) || inst.opcode == Opcode::kUnknown) {
      return "it has " + std::string(module.opcode_text(inst)) + " %" +
             std::string(module.name_of(inst));
    }
  }
  // What the passes leave alone has no fixed place in memory, or no meaning outside its device.
  return std::string(WhyNotForHost(module));
}

void Describe(const CompiledModule& compiled, CompiledRunReport& report) {
  report.planned_bytes = compiled.plan.TotalBytes();
  report.kernels = compiled.counts.units;
  report.compiled_kernels = compiled.counts.compiled;
  report.damaged_cache_entries = compiled.counts.rejected;
  report.prepare_seconds = compiled.prepare_seconds;
  report.compile_seconds = compiled.compile_seconds;
  for (const Block& block : compiled.plan.blocks) {
    for (const Step& step : block.steps) {
      switch (step.kind) {
        case Step::Kind::kKernel: ++report.kernel_steps; break;
        case Step::Kind::kLibrary: ++report.library_steps; break;
        case Step::Kind::kReference: {
          ++report.reference_steps;
          const Inst& inst = compiled.module().inst(step.inst);
          report.references.push_back("%" + std::string(compiled.module().name_of(inst)) + " " +
                                      std::string(compiled.module().opcode_text(inst)) +
                                      (step.why.empty() ? "" : ": " + step.why));
          break;
        }
        default: break;
      }
    }
  }
}

Result<EvalOutput> HostEngine::Run(const Module& module, std::vector<Value> arguments,
                                   const EvalOptions& options, const CompiledRunOptions& how,
                                   CompiledRunReport& report) {
  report.declined = WhyNot(module);
  if (!report.declined.empty()) return EvalOutput{};
  if (how.threads > 0) SetTeamSize(how.threads);
  CompileOptions compiling;
  compiling.prepare.without = how.without;
  // As if they were passes: who is wrong is found by leaving one out after the other.
  compiling.uses_kernels = std::ranges::find(how.without, "kernels") == how.without.end();
  compiling.uses_libraries = std::ranges::find(how.without, "libraries") == how.without.end();
  compiling.prepare.wants_log = how.wants_decisions;
  compiling.jit.threads = how.threads;
  compiling.jit.cache_dir = how.cache_dir;
  if (how.progress) {
    compiling.jit.progress = [&how](int64_t done, int64_t all) {
      how.progress("compiling", done, all);
    };
  }
  compiling.eval = options;
  compiling.max_bytes = options.max_bytes;
  Result<std::unique_ptr<CompiledModule>> compiled = CompileModule(module, compiling);
  if (!compiled.ok()) return compiled.error();
  const CompiledModule& ready = **compiled;
  Describe(ready, report);
  report.decisions = ready.prepared.log;
  if (how.wants_plan) report.plan = PlanText(ready.module(), ready.plan);
  EvalOutput output;
  output.peak_bytes = report.planned_bytes;
  if (how.plan_only) return output;

  Execution execution(ready.module(), ready.plan, options);
  StepTimes times;
  for (int64_t i = 0; i < std::max<int64_t>(how.repeat, 1); ++i) {
    if (std::optional<Diagnostic> failed = execution.Bind(arguments)) return *failed;
    const auto begin = std::chrono::steady_clock::now();
    if (std::optional<Diagnostic> failed = execution.Run(how.wants_profile ? &times : nullptr)) {
      return *failed;
    }
    report.run_seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (execution.stopped()) {
      return MakeBinaryDiagnostic(DiagCode::kInterrupted, 0, "stopped while it was under way");
    }
  }
  if (how.wants_profile) {
    report.profile = ProfileOf(ready.module(), ready.plan, times);
    report.limits = MeasureLimits();
  }
  output.steps = execution.steps();
  output.results.push_back(execution.Result());
  return output;
}

}  // namespace

std::unique_ptr<CompiledEngine> MakeHostEngine() { return std::make_unique<HostEngine>(); }

}  // namespace halo

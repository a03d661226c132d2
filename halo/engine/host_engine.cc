// Compiles, binds and runs a module as often as requested, and reports what it took.
#include "halo/engine/host_engine.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "halo/analysis/analysis_diagnostics.h"
#include "halo/base/machine_cores.h"
#include "halo/codegen/compile.h"
#include "halo/codegen/library/lapack/lapack_library.h"
#include "halo/engine/agreement_watch.h"
#include "halo/engine/compile_documents.h"
#include "halo/engine/nan_watch.h"
#include "halo/engine/profile.h"
#include "halo/engine/rank_run.h"
#include "halo/engine/timeline_watch.h"
#include "halo/eval/context/eval_diagnostics.h"
#include "halo/ir/op_properties.h"
#include "halo/passes/pipeline.h"
#include "halo/runtime/cpu_level.h"
#include "halo/runtime/execute.h"
#include "halo/runtime/thread_team.h"

namespace halo {
namespace {

class HostEngine : public CompiledEngine {
 public:
  Result<EvalOutput> Run(const Module& module, std::vector<Value> arguments,
                         const EvalOptions& options, const CompiledRunOptions& how,
                         CompiledRunReport& report) override;
  CompileResult Compile(const CompileRequest& request) override {
    return CompileDocuments(request);
  }

 private:
  static Result<EvalOutput> RunCompiled(const Module& module, std::vector<Value> arguments,
                                        const EvalOptions& options, const CompiledRunOptions& how,
                                        CompiledRunReport& report);
};

bool IsTransfer(Opcode opcode) {
  switch (FlowOf(opcode)) {
    case OpFlow::kSend:
    case OpFlow::kRecvDone:
    case OpFlow::kTransfer: return true;
    default: return false;
  }
}

// Sends and receives between running devices are collectives.
bool IsBetweenDevices(const Module& module, const Inst& inst) {
  return inst.opcode != Opcode::kInfeed && inst.opcode != Opcode::kOutfeed &&
         !module.BoolOr(inst.attrs, AttrKey::k_is_host_transfer, false);
}

std::string WhyNot(const Module& module, bool has_devices) {
  for (const Inst& inst : module.insts) {
    if (has_devices && IsBetweenDevices(module, inst) && inst.opcode != Opcode::kUnknown) continue;
    if (IsTransfer(inst.opcode) || inst.opcode == Opcode::kUnknown) {
      return "it has " + std::string(module.opcode_text(inst)) + " %" +
             std::string(module.name_of(inst));
    }
  }
  // Anything the passes leave alone has no fixed location in memory, or no meaning outside its
  // device.
  return std::string(WhyNotForHost(module));
}

void Describe(const CompiledModule& compiled, CompiledRunReport& report) {
  report.planned_bytes = compiled.plan.TotalBytes();
  report.kernels = compiled.counts.units;
  report.compiled_kernels = compiled.counts.compiled;
  report.damaged_cache_entries = compiled.counts.rejected;
  report.cache_problem = compiled.counts.cache_problem;
  report.prepare_seconds = compiled.prepare_seconds;
  report.compile_seconds = compiled.compile_seconds;
  for (const Block& block : compiled.plan.blocks) {
    for (const Step& step : block.steps) {
      switch (step.kind) {
        case Step::Kind::kKernel: ++report.kernel_steps; break;
        case Step::Kind::kLibrary: ++report.library_steps; break;
        case Step::Kind::kCollective: ++report.collective_steps; break;
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

// Generated code of another CPU level, or of another build, may round differently.
Result<RepeatedSteps> MakeSteps(const Module& module, const EvalOptions& options,
                                const CompiledRunOptions& how) {
  StepsRequest request = how.steps;
  const auto level = static_cast<int>(BestCpuLevel());
  request.made_with.emplace_back("CPU",
                                 std::to_string(level) + (MayUseNewestExtensions() ? "+" : ""));
  StepsJob job{.replicas = options.replicas, .partitions = options.partitions};
  if (const RankContext* rank = how.rank) {
    job.first = rank->rank;
    job.gather = [rank](std::string_view own) { return rank->service->Gather(own); };
  }
  return RepeatedSteps::Make(module, request, std::move(job));
}

// A rank that fails tells the others, which would otherwise wait for it.
Result<EvalOutput> HostEngine::Run(const Module& module, std::vector<Value> arguments,
                                   const EvalOptions& options, const CompiledRunOptions& how,
                                   CompiledRunReport& report) {
  report.declined = WhyNot(module, how.rank != nullptr);
  if (!report.declined.empty()) return EvalOutput{};
  Result<EvalOutput> output = RunCompiled(module, std::move(arguments), options, how, report);
  if (how.rank != nullptr && !output.ok()) {
    if (how.rank->slot != nullptr) how.rank->slot->FailWith(output.error());
    how.rank->service->Fail(output.error());
  }
  return output;
}

Result<EvalOutput> HostEngine::RunCompiled(const Module& module, std::vector<Value> arguments,
                                           const EvalOptions& options,
                                           const CompiledRunOptions& how,
                                           CompiledRunReport& report) {
  // More threads than cores would only wait for one another.
  if (how.threads > 0) {
    SetTeamSize(static_cast<int>(std::min<int64_t>(how.threads, AllowedCores())));
  }
  CompileOptions compiling;
  compiling.prepare.without = how.without;
  // Treat these as passes, so that bisecting over passes can find a wrong kernel or library too.
  compiling.uses_kernels = std::ranges::find(how.without, "kernels") == how.without.end();
  compiling.uses_libraries = std::ranges::find(how.without, "libraries") == how.without.end();
  // Steps that are observed one by one must run one by one.
  compiling.joins_loops = !how.wants_profile && !how.wants_timeline && !how.finds_nan &&
                          how.compares == nullptr &&
                          std::ranges::find(how.without, "whole-loops") == how.without.end();
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
  const RankContext* rank = how.rank;
  Result<std::unique_ptr<CompiledModule>> compiled =
      rank != nullptr ? CompileInTurn(module, compiling, *rank) : CompileModule(module, compiling);
  if (!compiled.ok()) {
    if (rank == nullptr || compiled.error().code != diag::kCannotPlan) return compiled.error();
    report.declined = compiled.error().message;
    return EvalOutput{};
  }
  const CompiledModule& ready = **compiled;
  Describe(ready, report);
  report.decisions = ready.prepared.log;
  if (how.wants_plan) report.plan = ExecutableText(ready.module(), ready.plan);
  EvalOutput output;
  output.peak_bytes = report.planned_bytes;
  if (how.plan_only) return output;

  TimelineWatch timeline(ready.module());
  StepWatch* watch = how.wants_timeline ? &timeline : nullptr;
  NanWatch nan(ready.module(), options.device, watch);
  if (how.finds_nan) watch = &nan;
  AgreementWatch digests(ready.module(), watch);
  const bool compares = how.compares != nullptr && rank != nullptr;
  if (compares) watch = &digests;
  std::optional<SlotWatch> slot;
  if (rank != nullptr) watch = &slot.emplace(ready.module(), *rank, watch);
  Execution execution(ready.module(), ready.plan, options,
                      rank != nullptr ? rank->service : nullptr, watch);
  std::optional<AgreementOfRanks> agreement;
  if (compares) {
    agreement.emplace(ready.module(), DeviceGrid{options.replicas, options.partitions}, *rank);
    if (std::optional<Diagnostic> failed = agreement->Begin(*how.compares, arguments)) {
      return *failed;
    }
  }
  std::optional<RepeatedSteps> steps;
  int64_t done = 0;
  if (how.steps.feeds_back) {
    Result<RepeatedSteps> made = MakeSteps(module, options, how);
    if (!made.ok()) return made.error();
    steps.emplace(*std::move(made));
    const Result<int64_t> begun = steps->Begin(how.repeat, {&arguments, 1});
    if (!begun.ok()) return begun.error();
    done = *begun;
  }
  StepTimes fastest;
  for (int64_t i = done; i < std::max<int64_t>(how.repeat, 1); ++i) {
    if (std::optional<Diagnostic> failed = execution.Bind(arguments)) return *failed;
    if (i + 1 >= how.repeat && !compares) execution.DropCopied(arguments);
    if (rank != nullptr) {
      if (std::optional<Diagnostic> failed = rank->service->Barrier()) return *failed;
    }
    timeline.Restart();
    nan.Restart();
    digests.Restart(std::nullopt);
    StepTimes times;
    const auto begin = std::chrono::steady_clock::now();
    if (std::optional<Diagnostic> failed = execution.Run(how.wants_profile ? &times : nullptr)) {
      return *failed;
    }
    // What libraries do once, such as choosing kernels, would be charged to the first step that
    // needs it, and what interrupts the process to any.
    if (i <= done + 1) {
      fastest = std::move(times);
    } else if (how.wants_profile) {
      TakeFaster(times, fastest);
    }
    report.run_seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (execution.stopped()) {
      return MakeBinaryDiagnostic(diag::kInterrupted, 0, "stopped during the run");
    }
    if (!steps || i + 1 >= how.repeat) continue;
    const Value result = execution.Result();
    if (std::optional<Diagnostic> failed = steps->HandOn(i + 1, {&result, 1}, {&arguments, 1})) {
      return *failed;
    }
  }
  if (steps) report.steps = steps->report();
  if (how.wants_profile) {
    report.profile = ProfileOf(ready.module(), ready.plan, fastest);
    if (how.wants_limits) report.limits = MeasureLimits();
  }
  output.steps = execution.steps();
  if (how.wants_timeline && rank != nullptr) {
    Result<std::vector<RankTimeline>> all = CollectTimelines(timeline.events(), *rank);
    if (!all.ok()) return all.error();
    report.timeline = std::move(*all);
  } else if (how.wants_timeline) {
    report.timeline.push_back({0, timeline.events()});
  }
  if (how.finds_nan) {
    Result<std::optional<NonFiniteOrigin>> origin = nan.origin();
    if (rank != nullptr) origin = EarliestOrigin(nan, *rank);
    if (!origin.ok()) return origin.error();
    report.origin = *std::move(origin);
    // Like the reference engine, return no further results for such values.
    if (report.origin) return output;
  }
  if (compares) {
    Result<RankAgreement> found = agreement->Summarize(digests, arguments, [&] {
      std::optional<Diagnostic> failed = execution.Bind(arguments);
      if (!failed) failed = rank->service->Barrier();
      if (!failed) failed = execution.Run();
      return failed;
    });
    if (!found.ok()) return found.error();
    report.agreement = *std::move(found);
    return output;
  }
  if (rank == nullptr) {
    output.results.push_back(execution.Result());
    return output;
  }
  report.collectives_by_messages = rank->service->by_messages();
  Result<std::vector<Value>> results = CollectResults(execution.Result(), *rank);
  if (!results.ok()) return results.error();
  output.results = std::move(*results);
  return output;
}

}  // namespace

std::unique_ptr<CompiledEngine> MakeHostEngine() {
  LoadLapack();
  return std::make_unique<HostEngine>();
}

}  // namespace halo

// The interface of a compiling engine as the facade sees it; halo/engine provides one where LLVM
// and oneDNN are built in. Takes and returns plain values. A module that cannot be compiled is
// declined with the reason, and the reference engine runs it.
#ifndef HALO_API_RUN_COMPILED_ENGINE_H_
#define HALO_API_RUN_COMPILED_ENGINE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/observe/rank_agreement.h"
#include "halo/api/observe/run_observers.h"
#include "halo/api/observe/timeline.h"
#include "halo/api/run/compiled_documents.h"
#include "halo/api/steps/repeated_steps.h"
#include "halo/base/diagnostics/result.h"
#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"
#include "haloscope/run.h"

namespace halo {

class CollectiveService;  // halo/runtime/collective.h
struct RankSlot;

// The position of this process in a run with one process per device.
struct RankContext {
  CollectiveService* service = nullptr;
  int64_t rank = 0, count = 1;
  bool compiles = true;      // the first rank of its machine; the others load its code
  RankSlot* slot = nullptr;  // where it reports what it is doing; null if no one reads it
};

struct CompiledRunOptions {
  const RankContext* rank = nullptr;  // null: one device, this process
  int threads = 0;                    // 0: the number of cores
  int64_t repeat = 1;                 // how often to run; the results are those of the last run
  StepsRequest steps;                 // what the runs hand on
  bool plan_only = false;             // make the plan and stop
  bool wants_plan = false;            // as text
  bool wants_profile = false;         // time of each step
  bool wants_limits = true;           // of the machine, beside the profile
  bool wants_timeline = false;        // when each step ran, on every rank
  bool wants_decisions = false;       // of the passes, with causes
  bool finds_nan = false;             // find the first NaN or infinity that a step produces
  // Compares ranks with each other, using what the inputs' shardings say about them. Null:
  // disabled.
  const InputClasses* compares = nullptr;
  std::vector<std::string> without;  // passes to skip
  std::string cache_dir;             // for compiled code; empty: nothing is cached
  std::function<void(std::string_view what, int64_t done, int64_t all)> progress;
};

// The cost of one step, over all its executions in one run.
using ProfileRow = v0::RunStep;

// The limits of this machine, measured at the time.
struct MachineLimits {
  double copy_bytes_per_second = 0;
  double f32_flops_per_second = 0;
};

struct CompiledRunReport {
  std::string declined;  // why it was not compiled; empty if it was
  std::string plan;
  std::vector<std::string> decisions;
  int64_t planned_bytes = 0;
  int64_t kernel_steps = 0, library_steps = 0, reference_steps = 0, collective_steps = 0;
  int64_t collectives_by_messages = 0;  // started by this rank, over all runs
  std::vector<std::string> references;  // steps that the evaluator runs, with the reason
  int64_t kernels = 0, compiled_kernels = 0, damaged_cache_entries = 0;
  std::string cache_problem;  // why the folder for compiled code was not used; empty if it was
  double prepare_seconds = 0, compile_seconds = 0;
  std::vector<double> run_seconds;
  std::optional<StepsReport> steps;  // if runs hand on their results
  std::vector<ProfileRow> profile;   // longest first
  MachineLimits limits;
  std::vector<RankTimeline> timeline;      // by rank; on the first rank only
  std::optional<NonFiniteOrigin> origin;   // with finds_nan
  std::optional<RankAgreement> agreement;  // with compares; on the first rank only
};

class CompiledEngine {
 public:
  virtual ~CompiledEngine() = default;

  // Runs a verified module on one device, with that device's `arguments`. For a rank, `options`
  // says which device that is; the first rank returns the results of all ranks, the others return
  // none.
  virtual Result<EvalOutput> Run(const Module& module, std::vector<Value> arguments,
                                 const EvalOptions& options, const CompiledRunOptions& how,
                                 CompiledRunReport& report) = 0;

  // Compiles every module of a file, runs none, and returns the documents about them.
  virtual CompileResult Compile(const CompileRequest& request) = 0;

 protected:
  CompiledEngine() = default;
  CompiledEngine(const CompiledEngine&) = default;
  CompiledEngine& operator=(const CompiledEngine&) = default;
};

}  // namespace halo

#endif  // HALO_API_RUN_COMPILED_ENGINE_H_

// An engine that compiles, as the facade sees it: halo/engine has one where LLVM and oneDNN are
// built in. Plain values in and out; what cannot be compiled is declined with the reason, and the
// reference engine runs it.
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
#include "halo/base/diagnostics/result.h"
#include "halo/eval/evaluate.h"
#include "halo/ir/module.h"

namespace halo {

class CollectiveService;  // halo/runtime/collective.h
struct RankSlot;

// This process's place in a run of one process per device.
struct RankPlace {
  CollectiveService* service = nullptr;
  int64_t rank = 0, count = 1;
  bool compiles = true;      // the first of its machine; the others load what it made
  RankSlot* slot = nullptr;  // where it says what it is doing; null if nobody reads it
};

struct CompiledRunOptions {
  const RankPlace* rank = nullptr;  // null: one device, this process
  int threads = 0;                  // 0: as many as there are cores
  int64_t repeat = 1;               // how often to run; the last run's results count
  bool plan_only = false;           // make the plan and stop
  bool wants_plan = false;          // as text
  bool wants_profile = false;       // time of each step
  bool wants_timeline = false;      // when each step ran, on every rank
  bool wants_decisions = false;     // of the passes, with reasons
  bool finds_nan = false;           // look for the first NaN or infinity that a step makes
  // Compare ranks with each other; what the inputs' shardings say of them. Null: do not.
  const InputClasses* compares = nullptr;
  std::vector<std::string> without;  // passes to leave out
  std::string cache_dir;             // of compiled code; empty: nothing is kept
  std::function<void(std::string_view what, int64_t done, int64_t all)> progress;
};

// What one step took, over all its visits in one run.
struct ProfileRow {
  std::string instruction;
  std::string opcode;
  std::string scope;  // its op_name in the program's source
  std::string kind;   // kernel, library, ...
  std::string by;     // what computes it
  int64_t visits = 0;
  double seconds = 0;
  int64_t bytes = 0;  // read and written, each buffer once
  double flops = 0;   // of dots and convolutions
};

// What this machine reaches, measured at the time.
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
  std::vector<std::string> references;  // steps that the evaluator runs, with the reason
  int64_t kernels = 0, compiled_kernels = 0, damaged_cache_entries = 0;
  double prepare_seconds = 0, compile_seconds = 0;
  std::vector<double> run_seconds;
  std::vector<ProfileRow> profile;  // longest first
  MachineLimits limits;
  std::vector<RankTimeline> timeline;      // by rank, on the first
  std::optional<NonFiniteOrigin> origin;   // with finds_nan
  std::optional<RankAgreement> agreement;  // with compares, on the first
};

class CompiledEngine {
 public:
  virtual ~CompiledEngine() = default;

  // Runs a verified module on one device, `arguments` being its own. As a rank: `options` says
  // which device that is, and the first rank yields the results of all, the others none.
  virtual Result<EvalOutput> Run(const Module& module, std::vector<Value> arguments,
                                 const EvalOptions& options, const CompiledRunOptions& how,
                                 CompiledRunReport& report) = 0;

 protected:
  CompiledEngine() = default;
  CompiledEngine(const CompiledEngine&) = default;
  CompiledEngine& operator=(const CompiledEngine&) = default;
};

}  // namespace halo

#endif  // HALO_API_RUN_COMPILED_ENGINE_H_

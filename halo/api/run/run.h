// A request to run a module from files: inputs from archives or generated, results to show, save or
// compare. The result is a plain value; the front ends write files and print. docs/run.md describes
// it for users.
#ifndef HALO_API_RUN_RUN_H_
#define HALO_API_RUN_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/inputs/run_inputs.h"
#include "halo/api/observe/rank_agreement.h"
#include "halo/api/observe/run_observers.h"
#include "halo/api/run/compiled_engine.h"
#include "halo/api/run/run_compare.h"
#include "halo/api/run/run_outputs.h"
#include "halo/api/run/sandbox_report.h"
#include "halo/base/arrays/npz_writer.h"
#include "halo/eval/evaluate.h"

namespace halo {

// What runs the module. The reference engine defines every op in plain loops.
enum class Engine : uint8_t { kCompiled, kReference };
std::string_view TextOf(Engine engine);

struct RunRequest {
  std::string module;
  OpenOptions open;
  // A module that is already open, used instead of the file; must outlive the run.
  const Document* opened = nullptr;
  size_t opened_module = 0;
  CompiledEngine* compiled = nullptr;  // null: the reference engine runs it
  CompiledRunOptions compiling;
  std::vector<std::string> inputs;  // archives or single arrays
  std::vector<InputArray> arrays;   // in addition, in memory
  std::optional<uint64_t> random;   // seed for inputs that the archives lack
  // Devices to run on; 0: as the module specifies. `devices` alone means partitions if the module
  // has any, else replicas.
  int64_t devices = 0, replicas = 0, partitions = 0;
  int64_t max_bytes = 0;          // 0: what this machine has
  int64_t max_steps = INT64_MAX;  // instructions to execute
  FillElided fill_elided = FillElided::kRefuse;
  std::vector<std::string> custom_calls;  // replacements: TARGET=identity or TARGET=zeros
  std::vector<std::string> trace;         // instruction names with wildcards * and ?
  EvalObserver* observer = nullptr;       // sees every value; the reference engine only
  bool find_nan = false;
  bool gather = false;    // gather each result of several devices, where it is known how
  std::string gather_by;  // a module that says how: the same program before partitioning
  // Instead of results: whether devices that must hold the same values do.
  bool compare_ranks = false;
  std::vector<std::string> same;  // parameters that must be the same there; wildcards * and ?
  std::string compare;            // an archive of expected results; empty: none
  ToleranceChoice tolerance;
  size_t worst = 5;               // elements to list per output that differs
  bool inputs_only = false;       // do not evaluate
  bool needs_all_inputs = false;  // as a rank: read the inputs of all devices, to inspect them
  EvalProgress* progress = nullptr;
};

struct RunResult {
  Document document;
  Diagnostics diagnostics;  // why there is no result
  bool succeeded = false;
  bool is_verified = false;  // the module passed the verifier before it ran

  std::string program;
  Engine engine = Engine::kReference;  // that ran it
  CompiledRunReport report;            // of the compiled engine, or why it declined
  int64_t replicas = 1, partitions = 1;
  int64_t ranks = 0;  // processes that ran it, one per device; 0: only this one
  int64_t longest_sum = 1;
  RunInputs inputs;
  std::vector<std::string> filled;  // constants that the text elides as {...}
  FillElided fill_elided = FillElided::kRefuse;
  bool has_results = false;  // it ran to completion
  std::vector<RunOutput> outputs;
  std::vector<OutputGather> gathers;  // by leaf, if whole arrays were requested
  std::vector<TracedValue> traced;
  std::optional<NonFiniteOrigin> origin;  // with find_nan
  bool looked_for_nan = false;
  std::optional<RankAgreement> agreement;  // with compare_ranks
  std::string expected;                    // path; empty if nothing was compared
  std::vector<OutputComparison> comparisons;

  int64_t steps = 0, work = 0, peak_bytes = 0, input_bytes = 0;
  double seconds = 0;
  std::optional<SandboxReport> sandbox;  // set by front ends that have one

  [[nodiscard]] int64_t devices() const { return replicas * partitions; }
  [[nodiscard]] bool agrees() const;
  [[nodiscard]] const Module& module() const { return document.modules.front().module; }
};

RunResult RunProgram(const RunRequest& request);
// The number of devices of such a run; 0 if the module cannot be read.
int64_t CountRunDevices(const RunRequest& request);

// The name of a traced value in an archive: its instruction's name, ".1" for a tuple element, "#3"
// if the instruction ran before, "_d2" with several devices.
std::string TracedName(const RunResult& result, const TracedValue& value);

// Writes an archive that numpy can read. False if the sink rejected it.
bool WriteOutputs(const RunResult& result, const ByteSink& sink);
bool WriteTraced(const RunResult& result, const ByteSink& sink);
bool WriteInputs(const RunResult& result, const ByteSink& sink);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_H_

// Running a module as a question to files: inputs from archives or made up, results to look at, to
// save or to compare. The answer is a plain value that run_json.cc serialises; writing files and
// printing are the front ends'. docs/run.md is the user's view.
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
#include "halo/base/arrays/npz_writer.h"
#include "halo/eval/evaluate.h"

namespace halo {

// What runs it. The reference engine is the definition of every op, in plain loops.
enum class Engine : uint8_t { kCompiled, kReference };
std::string_view TextOf(Engine engine);

struct RunRequest {
  std::string module;
  OpenOptions open;
  // A module that is open already, in place of the file's; outlives the run.
  const Document* opened = nullptr;
  size_t opened_module = 0;
  CompiledEngine* compiled = nullptr;  // null: the reference engine runs it
  CompiledRunOptions compiling;
  std::vector<std::string> inputs;  // archives, or single arrays
  std::vector<InputArray> arrays;   // in memory, besides
  std::optional<uint64_t> random;   // seed of what the archives lack
  // Devices to run on; 0: as the module says. `devices` alone are partitions if the module has any,
  // else replicas.
  int64_t devices = 0, replicas = 0, partitions = 0;
  int64_t max_bytes = int64_t{64} << 30;
  int64_t max_steps = INT64_MAX;  // instructions executed
  FillElided fill_elided = FillElided::kRefuse;
  std::vector<std::string> custom_calls;  // stand-ins: TARGET=identity or TARGET=zeros
  std::vector<std::string> trace;         // names of instructions; * and ? are wild
  bool find_nan = false;
  bool join = false;    // results of several devices into one array each, where it is known how
  std::string join_by;  // a module that says how: the same program before it was partitioned
  // Instead of results: whether devices that must hold the same do.
  bool compare_ranks = false;
  std::vector<std::string> same;  // with it: parameters that are to be the same; * and ? are wild
  std::string compare;            // an archive with what is expected; empty: nothing
  ToleranceChoice tolerance;
  size_t worst = 5;               // elements to list of each output that differs
  bool inputs_only = false;       // do not evaluate
  bool needs_all_inputs = false;  // as a rank: those of all devices, to look at them
  EvalProgress* progress = nullptr;
};

struct RunAnswer {
  Document document;
  Diagnostics diagnostics;  // why there is no answer
  bool has_answer = false;
  bool is_verified = false;  // the module passed the verifier before it ran

  std::string program;
  Engine engine = Engine::kReference;  // that ran it
  CompiledRunReport report;            // of the compiled one, or why it declined
  int64_t replicas = 1, partitions = 1;
  int64_t ranks = 0;  // processes that ran it, one per device; 0: this one alone
  int64_t longest_sum = 1;
  RunInputs inputs;
  std::vector<std::string> filled;  // constants that were printed as {...}
  FillElided fill_elided = FillElided::kRefuse;
  bool has_results = false;  // it ran to its end
  std::vector<RunOutput> outputs;
  std::vector<OutputJoin> joins;  // by leaf, where wholes were asked for
  std::vector<TracedValue> traced;
  std::optional<NonFiniteOrigin> origin;  // with find_nan
  bool looked_for_nan = false;
  std::optional<RankAgreement> agreement;  // with compare_ranks
  std::string expected;                    // path; empty if nothing was compared
  std::vector<OutputComparison> comparisons;

  int64_t steps = 0, work = 0, peak_bytes = 0, input_bytes = 0;
  double seconds = 0;

  [[nodiscard]] int64_t devices() const { return replicas * partitions; }
  [[nodiscard]] bool agrees() const;
  [[nodiscard]] const Module& module() const { return document.modules.front().module; }
};

RunAnswer AnswerRun(const RunRequest& request);
// On how many devices that would be; 0 if the module cannot be read.
int64_t CountRunDevices(const RunRequest& request);

// Schema halo.run.v1.
std::string RunJson(const RunAnswer& answer);
// Schema halo.compare.v1, of an answer with compare_ranks.
std::string CompareRanksJson(const RunAnswer& answer);

// How a traced value is named in an archive: its instruction's name, ".1" for a part of a tuple,
// "#3" when it ran before, "_d2" on several devices.
std::string TracedName(const RunAnswer& answer, const TracedValue& value);

// Archives that numpy reads. False if the sink refused.
bool WriteOutputs(const RunAnswer& answer, const ByteSink& sink);
bool WriteTraced(const RunAnswer& answer, const ByteSink& sink);
bool WriteInputs(const RunAnswer& answer, const ByteSink& sink);

}  // namespace halo

#endif  // HALO_API_RUN_RUN_H_

// Runs a module on this machine, including one compiled for a GPU or TPU: `halo run` as a function.
#ifndef HALOSCOPE_RUN_H_
#define HALOSCOPE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/array.h"
#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct RunState;

// The reference engine evaluates every op by its definition and is part of the library. The
// compiled engine is the package component `engine`, a plugin that is loaded on first use.
enum class Engine : uint8_t { kReference, kCompiled };

// Values used for constants that the dump elides as {...}.
enum class ElidedConstants : uint8_t { kRefuse, kZeros, kOnes, kIota };

struct RunRequest {
  size_t module = 0;  // index in the document
  Engine engine = Engine::kReference;
  // Matched to parameters by name: "in_0", "in_1", ... in parameter order, or the parameters' own
  // names.
  std::vector<Array> inputs;
  std::vector<std::string> input_files;  // .npy, .npz or .safetensors, matched likewise
  std::optional<uint64_t> random;        // seed for generating the inputs that are not given
  int64_t devices = 0;                   // 0: as many as the module specifies
  int64_t max_bytes = 0;                 // 0: what this machine has
  int64_t max_steps = INT64_MAX;         // instructions to execute
  ElidedConstants elided_constants = ElidedConstants::kRefuse;
  bool find_nan = false;  // stop at the first instruction that produces a NaN or an infinity
};

struct RunNan {
  std::string instruction;
  int64_t device = 0;
  bool is_nan = false;  // false: an infinity
};

struct RunResult {
  bool has_results = false;  // false: the diagnostics say why, or a NaN was found
  std::vector<Diagnostic> diagnostics;
  Engine engine = Engine::kReference;  // the engine that ran it
  std::string declined;                // why the compiled engine did not run it; may be empty
  std::vector<Array> outputs;          // "out_0", ...; tuples are flattened
  std::optional<RunNan> nan;           // with RunRequest::find_nan
  int64_t steps = 0, peak_bytes = 0;
  double seconds = 0;

  // The output of `halo run --json`, schema halo.run.v1.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const RunState> state;  // what ToJson needs
};

HALO_EXPORT RunResult Run(const Document& document, const RunRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RUN_H_

// Where a program's memory goes, whether it fits and what would help: `halo memory` as a function.
#ifndef HALOSCOPE_MEMORY_H_
#define HALOSCOPE_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/document.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct MemoryState;

enum class MemoryAdvice : uint8_t { kNone, kQuick, kThorough };

struct MemoryRequest {
  // Other files about the same program, such as its buffer assignment; see OpenRelated.
  std::vector<Document> related;
  bool plan = false;                 // plan again, even if an assignment is given
  std::string backend;               // "cpu", "gpu", "tpu"; empty: detected
  std::string device;                // "h100", ...: its capacity, backend and alignment
  std::optional<int64_t> capacity;   // bytes; default: the device's
  std::optional<int64_t> alignment;  // of offsets in bytes, a power of two
  std::vector<int64_t> donate;       // parameters that are assumed to be donated
  // Changes assumed to be made, by names of instructions and values; see MemorySaving::option.
  std::vector<std::string> recompute, earlier, later, bf16, unpad;
  bool drop_alias = false;  // assume that nothing is donated
  MemoryAdvice advice = MemoryAdvice::kQuick;
  bool check = false;  // prove that the assignment is sound
};

// What is live at the peak: one value, or several similar ones.
struct MemoryEntry {
  std::string name, shape, opcode, op_name, scope, source;
  std::string kind;       // "parameters", "outputs", "temp", "constants", "thread-local"
  std::string role;       // "weights", "activation", "gradient", ... as far as names and uses show
  std::string needed_by;  // the last instruction that reads it; may be empty
  int64_t bytes = 0, count = 1;
  int64_t start = -1, end = -1;  // live range in schedule steps, both ends included; -1: unknown
};

struct MemorySaving {
  std::string kind;    // "donate", "move", "recompute", "narrow", "unpad"
  std::string change;  // what to change, in one line
  std::string cost;    // what it costs; empty if nothing
  int64_t bytes_saved = 0;
  std::vector<std::string> instructions;
  std::vector<int64_t> parameters;
  std::string brief;   // the change in a few words
  std::string how;     // the call of JAX, PyTorch/XLA or TensorFlow that makes it; may be empty
  std::string option;  // of `halo memory`, to plan the changed program: "--donate 0,1"
  std::string scope, source;  // of what it changes; may be empty
};

// Whether the program fits a known device.
struct MemoryFit {
  std::string device, title;
  int64_t capacity = 0;
  bool fits = false;
};

struct MemoryResult {
  bool succeeded = false;               // false: the diagnostics say why
  std::vector<Diagnostic> diagnostics;  // of all files
  std::string program;
  std::string backend;       // "cpu", "gpu", "tpu" or "unknown"
  bool is_planned = false;   // by the library; false: the assignment comes from the dump
  int64_t total_bytes = 0;   // of all allocations
  int64_t device_bytes = 0;  // of those in the device's main memory
  int64_t parameter_bytes = 0, output_bytes = 0, temp_bytes = 0, constant_bytes = 0;
  int64_t peak_bytes = 0;  // of what is live at the peak; 0 without live ranges
  int64_t peak_time = 0;   // schedule step
  std::string peak_instruction;
  std::vector<int64_t> profile;         // temporary bytes that are live at each schedule step
  std::vector<MemoryEntry> entries;     // at the peak, largest first
  std::vector<MemorySaving> savings;    // largest first
  std::string verdict;                  // all of this in one sentence
  std::string peak_scope, peak_source;  // may be empty
  std::string peak_phase;               // "forward", "backward" or empty
  std::vector<MemoryFit> devices;       // known ones of the same backend, smallest memory first
  std::optional<int64_t> capacity;
  std::optional<bool> is_sound;  // with MemoryRequest::check

  [[nodiscard]] bool fits() const { return !capacity || device_bytes <= *capacity; }
  // The output of `halo memory --json` with `top` rows in its lists; empty if there is no result.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = 10) const;

  std::shared_ptr<const MemoryState> state;  // what ToJson needs
};

HALO_EXPORT MemoryResult Memory(const Document& document, const MemoryRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_MEMORY_H_

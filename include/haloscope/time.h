// How long a program takes on a device, what limits it and what is exposed: `halo time` as a
// function.
#ifndef HALOSCOPE_TIME_H_
#define HALOSCOPE_TIME_H_

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

struct TimeState;

struct TimeRequest {
  std::string device;       // "h100", ...; empty: the one the program was compiled for
  std::string device_json;  // a device file's contents; wins over `device`
  std::string backend;      // "cpu", "gpu", "tpu"; empty: detected
  // Texts of the dump that belong to the module; empty: looked for next to a document that was
  // opened by path.
  std::string autotune_results, target_config;
  bool advise = true;                  // look for what would help
  std::vector<std::string> profiles;   // paths of measured executions to compare with
  std::optional<size_t> profile_step;  // only this execution of each device
  std::string calibration;             // a file's contents, as --save-calibration writes it
  // Other fabrics and scales; 0: as the device and the program are.
  double links = 0, network = 0;  // bytes per second of a device, within and between nodes
  int64_t nodes = 0;              // over which the program's devices are spread evenly
  int64_t copies = 0;             // data-parallel copies of the program
};

// What an instruction or a program does, counted without a device.
struct TimeCost {
  double flops = 0, product_flops = 0, transcendentals = 0;
  double bytes_read = 0, bytes_written = 0;  // in the device's main memory
  double near_bytes = 0, host_bytes = 0;     // in memory on the chip, and in the host's
  double sent_bytes = 0;                     // to other devices
  bool known = true;                         // false: includes calls of unknown cost
};

// One instruction that takes time. All figures are for one run of it.
struct TimeOp {
  std::string name, opcode, computation, op_name, scope, source, shape;
  std::string kind;  // "product", "loop", "reduction", "collective", ...
  double runs = 1;   // in one step
  double seconds = 0, low_seconds = 0, high_seconds = 0, floor_seconds = 0;
  double exposed_seconds = 0;  // that kernels wait for it
  std::string from;            // "autotune", "model", "roofline" or "unknown"
  std::string confidence;      // "high", "medium", "low" or "none"
  std::string bound;           // "compute", "memory", "latency", "links", ...
  TimeCost cost;
};

struct TimeResult {
  bool succeeded = false;  // false: the diagnostics say why
  std::vector<Diagnostic> diagnostics;
  std::string program;
  std::string backend;  // "cpu", "gpu", "tpu" or "unknown"
  std::string device, device_title, device_why;
  bool device_is_certain = true;  // false: an assumption
  bool is_scheduled = true;       // false: instructions are taken in the order of the text
  bool trip_counts_known = true;  // false: a loop counts as one iteration
  double floor_seconds = 0;       // at the device's rates, all communication hidden
  double estimate_seconds = 0;    // as scheduled
  double serial_seconds = 0;      // if nothing overlaps
  double exposed_seconds = 0;     // of the estimate, waiting for collectives
  double hidden_seconds = 0;      // collectives that run beside kernels
  double unknown_seconds = 0;     // of the estimate, calls of unknown cost
  TimeCost cost;                  // of one step
  TimeCost cost_once;             // with every loop counted once, as XLA's cost analysis does
  std::vector<TimeOp> ops;        // longest first
  std::string verdict;            // all of this in one sentence

  // The output of `halo time --json` with `top` rows in its lists; empty if there is no result.
  [[nodiscard]] HALO_EXPORT std::string ToJson(size_t top = 10) const;

  std::shared_ptr<const TimeState> state;  // what ToJson needs
};

HALO_EXPORT TimeResult Time(const Document& document, const TimeRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_TIME_H_

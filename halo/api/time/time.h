// The result of `halo time`: what a program costs, how long each instruction and the whole step
// take on a device, what limits them, and where each figure comes from. The command prints it;
// time_document.h makes what other front ends show.
#ifndef HALO_API_TIME_TIME_H_
#define HALO_API_TIME_TIME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/time/time_advice.h"
#include "halo/api/time/time_inputs.h"
#include "halo/api/time/time_measured.h"
#include "halo/cost/count/cost.h"
#include "halo/cost/device/time_device.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/op_time.h"
#include "halo/cost/scale/scale_step.h"
#include "halo/cost/timeline/step_timeline.h"

namespace halo {

struct TimeRequest {
  std::vector<std::string> files;
  OpenOptions open;
  std::string device;                      // a name that FindTimeDevice knows; empty: inferred
  std::optional<TimeDevice> own_device;    // from a device file; wins over the name
  std::optional<Backend> backend;          // none: detected
  std::vector<std::string> profiles;       // measured executions to compare with
  std::vector<OpenProfile> open_profiles;  // the same, already open
  std::optional<size_t> profile_step;      // only this execution of each device
  std::optional<Calibration> calibration;
  bool advise = true;  // what would help
  // Other fabrics and scales; 0: as the device and the program are.
  double links = 0, network = 0;  // bytes per second of a device, within and between nodes
  int64_t nodes = 0;              // over which the program's devices are spread evenly
  int64_t copies = 0;             // data-parallel copies of the program
};

// One instruction that takes time.
struct TimedOp {
  InstId inst;
  std::string name, opcode, computation, op_name, scope, source, shape;
  KernelKind kind = KernelKind::kNone;
  double runs = 1;
  Cost cost;            // of one run
  OpTime time;          // of one run
  double exposed = 0;   // of one run: seconds that kernels wait for it
  double critical = 0;  // of all runs: seconds on the longest path through the step
  double total() const { return time.seconds * runs; }
  // Of a collective.
  double payload = 0;
  int64_t group_size = 0, nodes = 1;
};

// Instructions with something in common.
struct TimeGroup {
  std::string name;
  int64_t count = 0;
  double seconds = 0;  // of all runs
  double exposed = 0;
};

struct TimeResult {
  TimeInputs inputs;
  Diagnostics diagnostics;  // why there is no result
  bool succeeded = false;

  std::string program;
  std::optional<Backend> backend;
  std::string backend_why;
  TimeDevice device;
  std::string device_why;
  bool device_is_certain = true;  // false: an assumption
  bool is_scheduled = true;       // false: the order of the text is not a schedule
  bool trips_known = true;        // false: a loop of unknown trip count counts as one iteration
  size_t autotuned = 0;           // products whose time the autotuner measured

  Cost cost;       // of one step
  Cost cost_once;  // with every loop counted once, as XLA counts
  StepTime step;
  Timeline timeline;
  std::optional<ScaleStep> scale;          // if another scale was asked for
  std::vector<TimedOp> ops;                // longest first
  std::vector<TimeGroup> scopes, kinds;    // longest first
  std::vector<TimeGroup> sources, bounds;  // with the gaps between kernels
  std::vector<TimeGroup> types;            // flops of products by element type, as `seconds`
  std::vector<TimeAdvice> advice;          // most seconds first
  std::string verdict;
  std::vector<ProfileSummary> profiles;  // as requested
  std::optional<TimeMeasured> measured;  // if there are profiles
};

TimeResult AnalyzeTime(const TimeRequest& request);
// The same for inputs that are already open; the files named in the request are ignored.
TimeResult AnalyzeTime(const TimeRequest& request, TimeInputs inputs);

// "1.23 s", "45.6 ms", "7.89 us".
std::string HumanSeconds(double seconds);

// Instructions that kernels wait for, longest wait first.
std::vector<const TimedOp*> ExposedOps(const TimeResult& result);

}  // namespace halo

#endif  // HALO_API_TIME_TIME_H_

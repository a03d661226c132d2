// How long a step takes on a whole job: all devices run the program, and a collective begins when
// all of its group have arrived. One device of each class is simulated. What one dump cannot tell,
// such as another degree of tensor parallelism, is left to another dump.
#ifndef HALO_COST_SCALE_SCALE_STEP_H_
#define HALO_COST_SCALE_SCALE_STEP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/model_constants.h"
#include "halo/cost/predict/op_time.h"
#include "halo/cost/scale/job_classes.h"
#include "halo/memory/backend/device_rates.h"

namespace halo {

// A collective of the program where its groups span this many nodes.
struct ScaledCollective {
  InstId inst;
  int64_t nodes = 1;
  int64_t devices = 0;  // of which this is so
  double seconds = 0;
};

struct ScaleStep {
  DeviceLayout layout;
  std::string problem;  // why there is no result; empty if there is one
  uint32_t classes = 0;
  double seconds = 0;           // until the last device has ended
  double exposed = 0;           // waiting for collectives and for other devices, of the device that
                                // waits longest
  double gradient_bytes = 0;    // that all copies reduce; 0: unknown, or one copy
  double gradient_seconds = 0;  // of that reduction, which nothing hides
  double straggler_seconds = 0;  // how much later the last of all devices ends, if each varies
  std::vector<ScaledCollective> collectives;
};

struct ScaleOptions {
  std::optional<Backend> backend;
  DeviceRates rates;
  DeviceLayout layout;
  double gradient_bytes = 0;
};

ScaleStep TimeAtScale(const Module& module, ModuleCost& cost, const std::vector<OpTime>& times,
                      const ScaleOptions& options);

}  // namespace halo

#endif  // HALO_COST_SCALE_SCALE_STEP_H_

// How long a whole program takes: the schedule as XLA left it, one queue of kernels and one of
// collectives. An async op runs beside the kernels between its start and its done; what is left of
// it at the done is exposed. Loops take the time of one iteration as often as they run.
#ifndef HALO_COST_PREDICT_STEP_H_
#define HALO_COST_PREDICT_STEP_H_

#include <vector>

#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/op_time.h"
#include "halo/ir/module.h"

namespace halo {

struct StepTime {
  double floor = 0;     // everything at the device's rates, all communication hidden
  double estimate = 0;  // as scheduled
  double serial = 0;    // one instruction after the other, nothing hidden
  double compute = 0;   // of the estimate, kernels
  double exposed = 0;   // of the estimate, waiting for collectives
  double hidden = 0;    // collectives that run beside kernels
  double unknown = 0;   // of the estimate, calls whose time is only bounded from below
  double floor_compute = 0, floor_links = 0;

  void Add(const StepTime& other, double times);
};

// `times` has the time of each instruction. `exposed` gets, for each instruction, the seconds that
// one execution of it keeps the kernels waiting.
StepTime TimeStep(const Module& module, const ModuleCost& cost, const std::vector<OpTime>& times,
                  double gap, std::vector<double>& exposed);

}  // namespace halo

#endif  // HALO_COST_PREDICT_STEP_H_

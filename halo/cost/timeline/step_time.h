// How long a whole program takes, as sums: three totals and what they consist of.
#ifndef HALO_COST_TIMELINE_STEP_TIME_H_
#define HALO_COST_TIMELINE_STEP_TIME_H_

namespace halo {

struct StepTime {
  double floor = 0;     // everything at the device's rates, all communication hidden
  double estimate = 0;  // as scheduled: compute + exposed + stalled
  double serial = 0;    // one instruction after the other, nothing hidden
  double compute = 0;   // of the estimate, kernels and the gaps between them
  double gaps = 0;      // of compute, the gaps
  double exposed = 0;   // of the estimate, waiting for collectives
  double hidden = 0;    // collectives that run beside kernels
  double stalled = 0;   // of the estimate, waiting for copies and other asynchronous work
  double unknown = 0;   // of the estimate, calls whose time is only bounded from below
  double floor_compute = 0, floor_links = 0;
  double critical_links = 0;  // collectives on the critical path, hidden or not

  void Add(const StepTime& other, double times);
};

}  // namespace halo

#endif  // HALO_COST_TIMELINE_STEP_TIME_H_

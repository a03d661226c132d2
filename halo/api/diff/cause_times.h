// The predicted time of each cause of a diff: what the kernels that it concerns take in both
// programs.
#ifndef HALO_API_DIFF_CAUSE_TIMES_H_
#define HALO_API_DIFF_CAUSE_TIMES_H_

#include <vector>

#include "halo/diff/explain/program_diff.h"

namespace halo {

struct TimedOp;  // halo/api/time
struct TimeResult;

// False for collectives and asynchronous work, which take time only where kernels wait for them.
bool IsTimedKernel(const Module& module, const TimedOp& op);

// Sets the seconds of causes that concern a kernel with a known time, and ranks the causes again.
// `before` and `after` are the times of the modules that were compared.
void TimeCauses(const Module& before_module, const TimeResult& before, const Module& after_module,
                const TimeResult& after, std::vector<DiffCause>& causes);

}  // namespace halo

#endif  // HALO_API_DIFF_CAUSE_TIMES_H_

// Where the time of a run went, by step, compared with what the machine can reach.
#ifndef HALO_ENGINE_PROFILE_H_
#define HALO_ENGINE_PROFILE_H_

#include <vector>

#include "halo/api/run/compiled_engine.h"
#include "halo/runtime/executable.h"
#include "halo/runtime/execute.h"

namespace halo {

// The steps that compute, longest first. Loops and branches are omitted, since they are the sum of
// their steps.
std::vector<ProfileRow> ProfileOf(const Module& module, const Executable& plan,
                                  const StepTimes& times);

// Measures a copy of memory far larger than the caches and a matrix product, both on all threads.
MachineLimits MeasureLimits();

}  // namespace halo

#endif  // HALO_ENGINE_PROFILE_H_

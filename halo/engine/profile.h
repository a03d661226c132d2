// Where the time of a run went, by step, against what the machine reaches.
#ifndef HALO_ENGINE_PROFILE_H_
#define HALO_ENGINE_PROFILE_H_

#include <vector>

#include "halo/api/run/compiled_engine.h"
#include "halo/runtime/executable.h"
#include "halo/runtime/execute.h"

namespace halo {

// Steps that compute, longest first; loops and branches are their steps' sum and left out.
std::vector<ProfileRow> ProfileOf(const Module& module, const Executable& plan,
                                  const StepTimes& times);

// A copy of memory far larger than the caches, and a product of matrices, both on all threads.
MachineLimits MeasureLimits();

}  // namespace halo

#endif  // HALO_ENGINE_PROFILE_H_

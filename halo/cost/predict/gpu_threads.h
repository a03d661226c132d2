// How XLA's GPU code divides a kernel among threads, where that limits it more than memory does:
// kernels with one element per thread wait for memory most of the time, and reductions of few
// columns do not use all cores.
#ifndef HALO_COST_PREDICT_GPU_THREADS_H_
#define HALO_COST_PREDICT_GPU_THREADS_H_

#include "halo/cost/predict/kernel_kind.h"
#include "halo/ir/module.h"

namespace halo {

// Threads that each move one element: of updates in place, and of fusions that return several
// slices. 0 for other kernels, whose threads have several.
double ThreadsOfOneElement(const Module& module, InstId inst);

// The share of `cores` that a reduction keeps busy. A block takes 32 neighbouring columns if the
// minor dimension of the operand stays.
double ShareOfCores(const Module& module, const Kernel& kernel, double cores);

}  // namespace halo

#endif  // HALO_COST_PREDICT_GPU_THREADS_H_

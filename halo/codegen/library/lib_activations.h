// Activation functions over arrays of numbers.
#ifndef HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_
#define HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_

#include <cstdint>

#include "halo/eval/calls/activations.h"

namespace halo {

// In place. Results are within a few ulp of eval/activations.h.
void ActivateRun(Activation activation, double slope, float* values, int64_t n);
void ActivateRun(Activation activation, double slope, double* values, int64_t n);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_

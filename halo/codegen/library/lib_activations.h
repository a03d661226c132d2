// Activation functions over many numbers at once.
#ifndef HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_
#define HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_

#include <cstdint>

#include "halo/eval/calls/activations.h"

namespace halo {

// In place. Within a few units in the last place of what eval/activations.h says.
void ActivateRun(Activation activation, double slope, float* values, int64_t n);
void ActivateRun(Activation activation, double slope, double* values, int64_t n);

}  // namespace halo

#endif  // HALO_CODEGEN_LIBRARY_LIB_ACTIVATIONS_H_

// A fusion that writes a parameter in place and also reads it elsewhere would read its own output.
// Unless it reads only the window it writes, element by element, it gets the array as two
// parameters, one to write and one to read, so that a copy can separate them.
#ifndef HALO_PASSES_MEMORY_SPLIT_IN_PLACE_H_
#define HALO_PASSES_MEMORY_SPLIT_IN_PLACE_H_

#include "halo/ir/module.h"

namespace halo {

// The module must have a dataflow.
Module SplitInPlace(Module module);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_SPLIT_IN_PLACE_H_

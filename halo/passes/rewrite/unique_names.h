// Gives every instruction a name that is unique in the module, since documents about a module's
// memory identify instructions by name only. Names that are already unique stay.
#ifndef HALO_PASSES_REWRITE_UNIQUE_NAMES_H_
#define HALO_PASSES_REWRITE_UNIQUE_NAMES_H_

#include "halo/ir/module.h"

namespace halo {

Module UniqueNames(Module module);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_UNIQUE_NAMES_H_

// Gives every instruction a name that no other of the module has, since documents about a module's
// memory know instructions by name only. Names that are unique already stay.
#ifndef HALO_PASSES_REWRITE_UNIQUE_NAMES_H_
#define HALO_PASSES_REWRITE_UNIQUE_NAMES_H_

#include "halo/ir/module.h"

namespace halo {

Module UniqueNames(Module module);

}  // namespace halo

#endif  // HALO_PASSES_REWRITE_UNIQUE_NAMES_H_

// Whether the layouts of a module can be those of its memory: a value that is passed on, through a
// tuple, a call or a loop, has the same order of dimensions on both sides. Compilers guarantee
// that; a module written by hand or damaged need not.
#ifndef HALO_PASSES_HOST_LAYOUTS_AGREE_H_
#define HALO_PASSES_HOST_LAYOUTS_AGREE_H_

#include "halo/ir/module.h"

namespace halo {

bool LayoutsAgree(const Module& module);

}  // namespace halo

#endif  // HALO_PASSES_HOST_LAYOUTS_AGREE_H_

// Moves temporaries into memory that belongs to the program's results, at times before those are
// written. XLA only ever does so at offset 0; here any offset will do. TPU's tiled memory is left
// alone, because its compiler forbids some of this by rules that no dump shows.
#ifndef HALO_MEMORY_REPACK_INTO_OUTPUTS_H_
#define HALO_MEMORY_REPACK_INTO_OUTPUTS_H_

#include <cstddef>
#include <cstdint>

#include "halo/memory/model/assignment.h"
#include "halo/memory/repack/heap_of_assignment.h"

namespace halo {

struct IntoOutputs {
  size_t buffers = 0;  // moved
  int64_t bytes = 0;   // of the moved buffers, whenever they are live
  int64_t saved = 0;   // how much the heaps shrink at once; repacking may save more
};

// Changes `assignment`; its heaps then end with the last value left in them.
IntoOutputs MoveIntoOutputs(Assignment& assignment, const HeapOptions& options = {});

}  // namespace halo

#endif  // HALO_MEMORY_REPACK_INTO_OUTPUTS_H_

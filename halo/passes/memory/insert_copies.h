// Makes a scheduled module fit to run in planned memory: wherever values that must share memory are
// both needed, it reorders the two instructions or inserts a copy. Afterwards constants and
// parameters that were not donated are never written, results have separate memory, and no value is
// overwritten before its last use.
#ifndef HALO_PASSES_MEMORY_INSERT_COPIES_H_
#define HALO_PASSES_MEMORY_INSERT_COPIES_H_

#include <cstdint>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

struct CopyCounts {
  int64_t rounds = 0;
  int64_t copies = 0;  // includes values recomputed where that is as cheap
  int64_t moves = 0;   // instructions that run earlier or later than before
};

// The order of the instructions is the order in which they run.
Result<Module> InsertCopies(Module module, PassLog& log, CopyCounts* counts = nullptr);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_INSERT_COPIES_H_

// Makes a scheduled module fit to run in planned memory: wherever values that must share memory
// are both needed, the order of the two instructions is changed or a copy is put in. Afterwards
// parameters that were not donated and constants are never written, results have memory of their
// own, and no value is overwritten before its last use.
#ifndef HALO_PASSES_MEMORY_INSERT_COPIES_H_
#define HALO_PASSES_MEMORY_INSERT_COPIES_H_

#include <cstdint>

#include "halo/base/diagnostics/result.h"
#include "halo/ir/module.h"
#include "halo/passes/rewrite/pass.h"

namespace halo {

struct CopyCounts {
  int64_t rounds = 0;
  int64_t copies = 0;  // or values computed once more, where that is as cheap
  int64_t moves = 0;   // instructions that run earlier or later than they stood
};

// The order in which instructions stand is the order in which they run.
Result<Module> InsertCopies(Module module, PassLog& log, CopyCounts* counts = nullptr);

}  // namespace halo

#endif  // HALO_PASSES_MEMORY_INSERT_COPIES_H_

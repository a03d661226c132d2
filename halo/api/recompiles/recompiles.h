// Why a run compiled more than once: every compilation of a dump is paired with the earlier one of
// the same function that differs least, and the difference is named.
#ifndef HALO_API_RECOMPILES_RECOMPILES_H_
#define HALO_API_RECOMPILES_RECOMPILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/recompiles/compile_summary.h"
#include "halo/dump/dump.h"

namespace halo {

struct Compile {
  std::string function;  // the module's name
  int64_t number = -1;   // in the dump
  std::string rank;      // its folder; may be empty
  std::string path;
  std::string refused;       // why it could not be read
  int32_t predecessor = -1;  // index in RecompileResult::compiles; -1: the first of its function
  std::vector<RecompileChange> changes;  // why it was compiled; empty for the first
};

struct RecompileResult {
  std::vector<Compile> compiles;  // in the order of the dump
  int64_t functions = 0;
  int64_t recompiles = 0;
  int64_t unreadable = 0;
};

// One module is in memory at a time, two to name what changed in code and constants.
RecompileResult FindRecompiles(const Dump& dump, const OpenOptions& options);

}  // namespace halo

#endif  // HALO_API_RECOMPILES_RECOMPILES_H_

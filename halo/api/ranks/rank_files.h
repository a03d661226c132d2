// The files of a dump by rank. A rank is a folder, or a prefix of file names
// (rank3.module_0040...).
#ifndef HALO_API_RANKS_RANK_FILES_H_
#define HALO_API_RANKS_RANK_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "halo/dump/dump.h"
#include "halo/dump/natural_order.h"

namespace halo {

struct RankedState {
  std::string module;    // its name, and which of several of that name it is
  std::string stage;     // "0042.simplification.after_dce.before_cse"
  std::string pass;      // the pass that has just run; empty if the stage is not a pass
  std::string path;      // of the module's file
  bool is_main = false;  // the module as compiled
  std::vector<std::string> assignment;  // files about memory, of the main state
};

// In natural order of the ranks; each one's states in order of compilation.
using RankFiles = std::map<std::string, std::vector<RankedState>, NaturalOrder>;
RankFiles FilesByRank(const Dump& dump);

}  // namespace halo

#endif  // HALO_API_RANKS_RANK_FILES_H_

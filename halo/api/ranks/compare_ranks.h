// How one rank's compilation differs from another's, in sentences.
#ifndef HALO_API_RANKS_COMPARE_RANKS_H_
#define HALO_API_RANKS_COMPARE_RANKS_H_

#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/ranks/rank_files.h"

namespace halo {

// Reads the states of both ranks again, two at a time.
std::vector<std::string> CompareRanks(const std::vector<RankedState>& before,
                                      const std::vector<RankedState>& after,
                                      const OpenOptions& options);

}  // namespace halo

#endif  // HALO_API_RANKS_COMPARE_RANKS_H_

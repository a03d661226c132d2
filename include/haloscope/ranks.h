// Which ranks of a job compiled the same program: `halo diff --ranks` as a function.
#ifndef HALOSCOPE_RANKS_H_
#define HALOSCOPE_RANKS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

struct RanksState;

struct RanksRequest {
  bool follow = false;  // links that point outside the folder
};

// Ranks that compiled the same.
struct RankGroup {
  std::vector<std::string> ranks;
  // Against the first group: "module", "passes", "collectives", "memory"; and in sentences.
  std::vector<std::string> differs;
  std::vector<std::string> differences;
};

struct RanksResult {
  bool succeeded = false;
  std::vector<Diagnostic> diagnostics;  // if it did not succeed, why
  size_t ranks = 0;
  std::vector<RankGroup> groups;  // the largest first

  // The output of `halo diff --ranks --json`, schema halo.ranks.v1; halo.error.v1 if it did
  // not succeed.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;

  std::shared_ptr<const RanksState> state;  // what ToJson needs
};

// `path` is a folder or archive with a dump for each rank.
HALO_EXPORT RanksResult Ranks(const std::string& path, const RanksRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RANKS_H_

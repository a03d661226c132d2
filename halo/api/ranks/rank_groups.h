// Which ranks of a job compiled the same program. Dumps are read one file at a time and reduced to
// four fingerprints; ranks with equal fingerprints are a group, and one rank of each group is
// compared with one of the largest.
#ifndef HALO_API_RANKS_RANK_GROUPS_H_
#define HALO_API_RANKS_RANK_GROUPS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/dump/dump.h"
#include "haloscope/ranks.h"

namespace halo {

using RankLevel = v0::RankLevel;
inline constexpr size_t kRankLevels = EnumTexts(RankLevel()).size();
std::string_view TextOf(RankLevel level);

using RankFingerprints = std::array<uint64_t, kRankLevels>;

struct RankGroup {
  std::vector<std::string> ranks;  // in natural order
  RankFingerprints fingerprints{};
  // Against the first group; all empty for that one.
  std::array<bool, kRankLevels> differs{};
  std::vector<std::string> differences;  // sentences, from the first state on
};

struct RankGroups {
  std::vector<RankGroup> groups;  // the largest first
  size_t ranks = 0;
  size_t files = 0;       // read
  uint64_t bytes = 0;     // of these
  size_t unreadable = 0;  // files that are no readable program
};

RankGroups GroupRanks(const Dump& dump, const OpenOptions& options);

// "rank_[0-16, 18, 20-21]" for names that differ in one number only, otherwise a few names.
std::string RankListText(const std::vector<std::string>& ranks);

}  // namespace halo

#endif  // HALO_API_RANKS_RANK_GROUPS_H_

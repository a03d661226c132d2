// Digests become texts, and levels their names.
#include "halo/api/ranks/ranks_document.h"

#include <utility>

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"
#include "halo/diff/fingerprint/fingerprint.h"

namespace halo {
namespace {

v0::RankGroup GroupOf(const RankGroup& from) {
  const auto text = [&](RankLevel level) {
    return FingerprintText(from.fingerprints[static_cast<size_t>(level)]);
  };
  v0::RankGroup to;
  to.ranks = from.ranks;
  to.fingerprints = {.module = text(RankLevel::kModule),
                     .passes = text(RankLevel::kPasses),
                     .collectives = text(RankLevel::kCollectives),
                     .memory = text(RankLevel::kMemory)};
  for (size_t level = 0; level < kRankLevels; ++level) {
    if (from.differs[level]) to.differs.emplace_back(TextOf(static_cast<RankLevel>(level)));
  }
  to.differences = from.differences;
  return to;
}

}  // namespace

v0::RanksResult RanksDocument(const RankGroups& result, const std::string& path) {
  v0::RanksResult document;
  document.inputs.push_back(InputOf(path));
  document.succeeded = true;
  document.ranks = result.ranks;
  document.files = result.files;
  document.bytes = result.bytes;
  document.unreadable = result.unreadable;
  document.same = result.groups.size() <= 1;
  for (const RankGroup& each : result.groups) document.groups.push_back(GroupOf(each));
  return document;
}

std::string RanksJson(const RankGroups& result, const std::string& path) {
  return describe::DocumentJson(RanksDocument(result, path));
}

}  // namespace halo

// Which ranks of a job compiled the same program: `halo diff --ranks` as a function.
#ifndef HALOSCOPE_RANKS_H_
#define HALOSCOPE_RANKS_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "haloscope/export.h"
#include "haloscope/fields.h"
#include "haloscope/parts.h"

namespace halo {
HALO_V0_BEGIN

// About a whole folder.
struct FolderRequest {
  bool follow = false;
};

template <class V>
void Fields(V& v, FolderRequest& r) {
  v("follow", r.follow, "Follow symbolic links that point outside the folder");
}

using RanksRequest = FolderRequest;

// What is compared between ranks.
enum class RankLevel : uint8_t {
  kModule,       // the program as compiled
  kPasses,       // every earlier state in the dump
  kCollectives,  // the sequence of collectives
  kMemory,       // the buffer assignment
};
constexpr std::array<std::string_view, 4> EnumTexts(RankLevel /*type*/) {
  return {"module", "passes", "collectives", "memory"};
}

struct RankFingerprints {
  std::string module, passes, collectives, memory;
};

template <class V>
void Fields(V& v, RankFingerprints& r) {
  v("module", r.module, "of the programs as compiled");
  v("passes", r.passes, "of every earlier state in the dump");
  v("collectives", r.collectives, "of the sequence of collectives");
  v("memory", r.memory, "of the buffer assignments");
}

// Ranks that compiled the same.
struct RankGroup {
  std::vector<std::string> ranks;
  RankFingerprints fingerprints;
  std::vector<std::string> differs, differences;
};

template <class V>
void Fields(V& v, RankGroup& r) {
  v("ranks", r.ranks, "folders, or prefixes of names");
  v("fingerprints", r.fingerprints, "of what they compiled");
  v("differs", r.differs, "fingerprints that differ from those of the first group",
    Choices{"rank_level"});
  v("differences", r.differences,
    "sentences about the group's first rank and that of the first group");
}

struct RanksResult : ResultParts {
  static constexpr std::string_view kSchema = "halo.ranks.v1";

  bool succeeded = false;  // false: the diagnostics say why, and nothing else is set
  uint64_t ranks = 0, files = 0, bytes = 0, unreadable = 0;
  bool same = false;
  std::vector<RankGroup> groups;

  // The output of `halo diff --ranks --json`; schema halo.error.v1 if it did not succeed.
  [[nodiscard]] HALO_EXPORT std::string ToJson() const;
};

template <class V>
void Fields(V& v, RanksResult& r) {
  Fields(v, static_cast<ResultParts&>(r));
  v("ranks", r.ranks, "folders, or prefixes of names, with modules");
  v("files", r.files, "that were read");
  v("bytes", r.bytes, "of these, once decompressed", Unit::kBytes);
  v("unreadable", r.unreadable, "files that cannot be read as a program; their bytes are compared");
  v("same", r.same, "there is one group");
  v("groups", r.groups, "ranks that compiled the same; the largest group first");
}

// `path` is a folder or archive with a dump for each rank.
HALO_EXPORT RanksResult Ranks(const std::string& path, const RanksRequest& request = {});

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_RANKS_H_

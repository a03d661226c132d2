// A file that has the bytes of an earlier one is not parsed again: most ranks of a job dump the
// same bytes.
#include "halo/api/ranks/rank_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "halo/api/ranks/compare_ranks.h"
#include "halo/api/ranks/rank_files.h"
#include "halo/base/hash.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/dump/open_file.h"

namespace halo {
namespace {

// Beyond this many different files, they are parsed whether they were seen or not.
constexpr size_t kMostKnownFiles = size_t{1} << 16;
constexpr HashKeys kSecondKeys = {0xD6E8FEB86659FD93ull, 0xA0761D6478BD642Full};

struct FileDigest {
  uint64_t module = 0, collectives = 0;
  bool is_readable = true;
};

uint64_t AssignmentDigest(const Assignment& assignment) {
  uint64_t hash = 1;
  for (const Allocation& each : assignment.allocations) {
    hash = HashWords({hash, static_cast<uint64_t>(each.size), static_cast<uint64_t>(each.color),
                      static_cast<uint64_t>(each.parameter), each.maybe_live_out ? 1u : 0u});
  }
  for (const AssignedValue& each : assignment.values) {
    hash = HashWords({hash, static_cast<uint64_t>(each.offset), static_cast<uint64_t>(each.size),
                      each.allocation.valid() ? each.allocation.value : UINT32_MAX});
  }
  return hash;
}

class RankReader {
 public:
  RankReader(const OpenOptions& options, RankGroups& result) : options_(options), result_(result) {}

  RankFingerprints Read(const std::vector<RankedState>& states) {
    RankFingerprints prints = {1, 1, 1, 1};
    const auto add = [&](RankLevel level, const std::string& name, uint64_t value) {
      uint64_t& print = prints[static_cast<size_t>(level)];
      print = HashWords({print, HashBytes(name.data(), name.size()), value});
    };
    for (const RankedState& state : states) {
      const FileDigest digest = DigestOf(state.path);
      if (!state.is_main) {
        add(RankLevel::kPasses, state.module + "/" + state.stage, digest.module);
        continue;
      }
      add(RankLevel::kModule, state.module, digest.module);
      add(RankLevel::kCollectives, state.module, digest.collectives);
      for (const std::string& path : state.assignment) {
        add(RankLevel::kMemory, state.module, DigestOf(path).module);
      }
    }
    return prints;
  }

 private:
  FileDigest DigestOf(const std::string& path) {
    ++result_.files;
    Result<SourceBuffer> source = OpenDumpFile(path);
    if (!source) {
      ++result_.unreadable;
      return {.module = 0, .collectives = 0, .is_readable = false};
    }
    const std::string_view bytes = source->bytes();
    result_.bytes += bytes.size();
    const std::pair<uint64_t, uint64_t> key = {HashBytes(bytes.data(), bytes.size()),
                                               HashBytes(bytes.data(), bytes.size(), kSecondKeys)};
    const auto found = known_.find(key);
    if (found != known_.end()) {
      if (!found->second.is_readable) ++result_.unreadable;
      return found->second;
    }
    const FileDigest digest = Parse(std::move(source), path, key.first);
    if (!digest.is_readable) ++result_.unreadable;
    if (known_.size() < kMostKnownFiles) known_[key] = digest;
    return digest;
  }

  FileDigest Parse(Result<SourceBuffer> source, const std::string& path, uint64_t bytes) const {
    const Document document = ReadDocument(std::move(source), path, options_);
    if (document.memory) {
      return {.module = AssignmentDigest(document.memory->assignment), .collectives = 0};
    }
    if (document.modules.empty() || document.errors() != 0) {
      return {.module = bytes, .collectives = 0, .is_readable = false};
    }
    const Module& module = document.modules.front().module;
    return {.module = FingerprintModule(module),
            .collectives = FingerprintCollectives(CollectiveSequence(module))};
  }

  OpenOptions options_;
  RankGroups& result_;
  std::map<std::pair<uint64_t, uint64_t>, FileDigest> known_;
};

}  // namespace

std::string_view TextOf(RankLevel level) { return EnumTexts(level)[static_cast<size_t>(level)]; }

RankGroups GroupRanks(const Dump& dump, const OpenOptions& options) {
  RankGroups result;
  const RankFiles ranks = FilesByRank(dump);
  result.ranks = ranks.size();
  RankReader reader(options, result);
  std::map<RankFingerprints, size_t> known;
  for (const auto& [rank, states] : ranks) {
    const RankFingerprints prints = reader.Read(states);
    const auto [at, is_new] = known.try_emplace(prints, result.groups.size());
    if (is_new) {
      result.groups.emplace_back();
      result.groups.back().fingerprints = prints;
    }
    result.groups[at->second].ranks.push_back(rank);
  }
  std::sort(result.groups.begin(), result.groups.end(), [](const RankGroup& x, const RankGroup& y) {
    if (x.ranks.size() != y.ranks.size()) return x.ranks.size() > y.ranks.size();
    return NaturalOrder()(x.ranks.front(), y.ranks.front());
  });
  for (size_t i = 1; i < result.groups.size(); ++i) {
    RankGroup& group = result.groups[i];
    for (size_t level = 0; level < kRankLevels; ++level) {
      group.differs[level] = group.fingerprints[level] != result.groups.front().fingerprints[level];
    }
    group.differences = CompareRanks(ranks.at(result.groups.front().ranks.front()),
                                     ranks.at(group.ranks.front()), options);
  }
  return result;
}

std::string RankListText(const std::vector<std::string>& ranks) {
  constexpr size_t kMostRanges = 6;
  // Names that are one text and a number can be listed as ranges.
  std::string common;
  std::vector<int64_t> numbers;
  for (const std::string& rank : ranks) {
    const size_t digits = rank.find_last_not_of("0123456789") + 1;
    if (digits == rank.size() || rank.size() - digits > 9) break;
    if (!numbers.empty() && rank.substr(0, digits) != common) break;
    common = rank.substr(0, digits);
    numbers.push_back(std::stoll(rank.substr(digits)));
  }
  std::vector<std::string> parts;
  if (numbers.size() == ranks.size()) {
    for (size_t i = 0; i < numbers.size();) {
      size_t end = i + 1;
      while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
      std::string part = std::to_string(numbers[i]);
      if (end - i > 1) part += (end - i > 2 ? "-" : ", ") + std::to_string(numbers[end - 1]);
      parts.push_back(std::move(part));
      i = end;
    }
  } else {
    parts = ranks;
    common.clear();
  }
  if (ranks.size() == 1) return ranks.front().empty() ? "." : ranks.front();
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i == kMostRanges) {
      out += ", ...";
      break;
    }
    out += (i == 0 ? "" : ", ") + (parts[i].empty() ? "." : parts[i]);
  }
  return common.empty() ? out : common + "[" + out + "]";
}

}  // namespace halo

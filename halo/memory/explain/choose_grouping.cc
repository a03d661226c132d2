// A grouping tells something if no group holds most of the bytes. Source lines come next, because
// they lead to the program; shapes are always known.
#include "halo/memory/explain/choose_grouping.h"

#include <algorithm>

#include "halo/memory/explain/live_entries.h"

namespace halo {
namespace {

constexpr int64_t kMostPercent = 80;     // in one named group
constexpr int64_t kUnknownPercent = 50;  // without a name

struct Grouping {
  int64_t largest = 0;  // percent of the bytes in the largest named group
  int64_t unknown = 0;  // percent without a name
  std::string name;     // of the largest group

  [[nodiscard]] bool tells() const { return largest < kMostPercent && unknown < kUnknownPercent; }
  [[nodiscard]] int64_t worst() const { return std::max(largest, unknown); }
};

Grouping Measure(const std::vector<LiveEntry>& entries, GroupBy by) {
  Grouping grouping;
  int64_t whole = 0, largest = 0, unknown = 0;
  for (const LiveGroup& group : GroupEntries(entries, by)) {
    whole += group.bytes;
    if (group.name == kUnknownGroup) {
      unknown = group.bytes;
    } else if (group.bytes > largest) {
      largest = group.bytes;
      grouping.name = group.name;
    }
  }
  const auto percent = [&](int64_t bytes) {
    const double share = whole > 0 ? static_cast<double>(bytes) / static_cast<double>(whole) : 0;
    return static_cast<int64_t>(share * 100 + 0.5);
  };
  grouping.largest = percent(largest);
  grouping.unknown = percent(unknown);
  return grouping;
}

}  // namespace

void ChooseGrouping(const std::vector<LiveEntry>& entries, GroupBy& by, std::string& reason) {
  by = GroupBy::kScope;
  reason.clear();
  const Grouping scopes = Measure(entries, GroupBy::kScope);
  if (scopes.tells()) return;
  int64_t best = scopes.worst();
  for (const GroupBy each : {GroupBy::kSource, GroupBy::kShape, GroupBy::kRole}) {
    const Grouping other = Measure(entries, each);
    if (!other.tells() && other.worst() >= best) continue;
    by = each;
    best = other.worst();
    if (other.tells()) break;
  }
  if (by == GroupBy::kScope) return;
  reason = scopes.unknown >= scopes.largest
               ? std::to_string(scopes.unknown) + "% has no scope"
               : std::to_string(scopes.largest) + "% is in one scope, " + scopes.name;
}

}  // namespace halo

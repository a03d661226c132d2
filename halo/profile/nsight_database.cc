// A range takes from the start of the first to the end of the last activity on the GPU that was
// launched within it, by its thread. Ranges of a thread are nested.
#include "halo/profile/nsight_database.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "halo/profile/nsight_table.h"
#include "halo/profile/profile_diagnostics.h"
#include "halo/profile/sqlite/sqlite.h"

namespace halo {
namespace {

constexpr int64_t kPushPopRange = 59;  // NVTX_EVENTS.eventType
constexpr size_t kNoRange = SIZE_MAX;
// A globalTid is a process (from bit 24 on, with the machine above it) and a thread.
constexpr unsigned kThreadBits = 24;
constexpr int64_t kThreadMask = (int64_t{1} << kThreadBits) - 1;

struct Span {
  int64_t start = std::numeric_limits<int64_t>::max();
  int64_t end = std::numeric_limits<int64_t>::min();
  int64_t count = 0;

  void Add(const Span& other) {
    start = std::min(start, other.start);
    end = std::max(end, other.end);
    count += other.count;
  }
};

struct Range {
  int64_t thread = 0, start = 0, end = 0;
  std::string_view text;
  size_t order = 0;  // in the table
  size_t parent = kNoRange;
  Span on_gpu;
};

struct Launch {
  int64_t thread = 0, at = 0;
  Span on_gpu;
};

struct Ranges {
  std::vector<Range> all;
  // What texts of ranges point into: many ranges share one of the strings.
  std::unordered_map<int64_t, std::string> strings;
  std::deque<std::string> texts;
};

// XLA's ranges carry "#key=value,...#".
bool IsAnnotation(std::string_view text) { return text.find('#') != std::string_view::npos; }

Ranges RangesOf(SqliteFile& file) {
  Ranges ranges;
  constexpr std::array<std::string_view, 2> kStrings = {"id", "value"};
  file.ForEachRow("StringIds", kStrings, [&](std::span<const SqliteValue> row) {
    if (IsAnnotation(row[1].text)) ranges.strings.emplace(row[0].number, row[1].text);
  });
  constexpr std::array<std::string_view, 6> kEvents = {"start",  "end",       "eventType",
                                                       "textId", "globalTid", "text"};
  file.ForEachRow("NVTX_EVENTS", kEvents, [&](std::span<const SqliteValue> row) {
    if (row[2].number != kPushPopRange || row[1].is_null) return;
    std::string_view text;
    if (IsAnnotation(row[5].text)) {
      text = ranges.texts.emplace_back(row[5].text);
    } else if (const auto found = ranges.strings.find(row[3].number);
               row[5].is_null && found != ranges.strings.end()) {
      text = found->second;
    }
    if (text.empty()) return;
    ranges.all.push_back(
        {row[4].number, row[0].number, row[1].number, text, ranges.all.size(), kNoRange, {}});
  });
  return ranges;
}

std::vector<Launch> LaunchesOf(SqliteFile& file) {
  // By process, then by correlation id: a launched graph is many activities with one id.
  std::unordered_map<int64_t, std::unordered_map<int64_t, Span>> activities;
  for (const std::string_view table :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"}) {
    constexpr std::array<std::string_view, 4> kColumns = {"start", "end", "correlationId",
                                                          "globalPid"};
    file.ForEachRow(table, kColumns, [&](std::span<const SqliteValue> row) {
      activities[row[3].number >> kThreadBits][row[2].number].Add(
          {row[0].number, row[1].number, 1});
    });
  }
  std::vector<Launch> launches;
  constexpr std::array<std::string_view, 3> kCalls = {"start", "globalTid", "correlationId"};
  file.ForEachRow("CUPTI_ACTIVITY_KIND_RUNTIME", kCalls, [&](std::span<const SqliteValue> row) {
    const auto process = activities.find(row[1].number >> kThreadBits);
    if (process == activities.end()) return;
    const auto found = process->second.find(row[2].number);
    if (found != process->second.end()) {
      launches.push_back({row[1].number, row[0].number, found->second});
    }
  });
  return launches;
}

// Sorts the ranges so that each comes after the one around it, and finds what ran within each.
void Project(std::vector<Range>& ranges, std::vector<Launch>& launches) {
  std::ranges::sort(ranges, [](const Range& a, const Range& b) {
    return std::tuple(a.thread, a.start, b.end, a.order) <
           std::tuple(b.thread, b.start, a.end, b.order);
  });
  std::ranges::sort(launches, [](const Launch& a, const Launch& b) {
    return std::tuple(a.thread, a.at) < std::tuple(b.thread, b.at);
  });
  size_t launch = 0, innermost = kNoRange;
  const auto leave = [&](int64_t thread, int64_t at) {
    while (innermost != kNoRange &&
           (ranges[innermost].thread != thread || ranges[innermost].end < at)) {
      innermost = ranges[innermost].parent;
    }
  };
  const auto add_launches = [&](const Range* until) {
    for (; launch < launches.size(); ++launch) {
      const Launch& each = launches[launch];
      if (until != nullptr &&
          std::tuple(each.thread, each.at) >= std::tuple(until->thread, until->start)) {
        return;
      }
      leave(each.thread, each.at);
      if (innermost != kNoRange) ranges[innermost].on_gpu.Add(each.on_gpu);
    }
  };
  for (size_t i = 0; i < ranges.size(); ++i) {
    add_launches(&ranges[i]);
    leave(ranges[i].thread, ranges[i].start);
    ranges[i].parent = innermost;
    innermost = i;
  }
  add_launches(nullptr);
  for (size_t i = ranges.size(); i-- > 0;) {
    if (ranges[i].parent != kNoRange) ranges[ranges[i].parent].on_gpu.Add(ranges[i].on_gpu);
  }
}

// Saturates: times of a damaged file may be far apart.
int64_t Duration(const Span& span) {
  if (span.end <= span.start) return 0;
  const uint64_t length = static_cast<uint64_t>(span.end) - static_cast<uint64_t>(span.start);
  return static_cast<int64_t>(std::min<uint64_t>(length, std::numeric_limits<int64_t>::max()));
}

}  // namespace

Profile ReadNsightDatabase(std::string_view bytes) {
  SqliteFile file(bytes);
  Profile failed;
  failed.kind = ProfileKind::kNsightDatabase;
  const auto fail = [&](std::string why) {
    failed.diagnostics.Add(MakeBinaryDiagnostic(diag::kNotAProfile, 0, std::move(why)));
    return failed;
  };
  if (!file.problem().empty() && !file.HasTable("NVTX_EVENTS")) return fail(file.problem());
  if (!file.HasTable("NVTX_EVENTS")) {
    return fail(
        "this database has no table NVTX_EVENTS: it is no export of Nsight Systems, or was "
        "recorded without nsys profile --trace=cuda,nvtx");
  }
  Ranges read = RangesOf(file);
  std::vector<Launch> launches = LaunchesOf(file);
  std::vector<Range>& ranges = read.all;
  Project(ranges, launches);
  // The run around each range; ranges come after those around them.
  std::vector<std::string> stacks(ranges.size());
  NsightTable rows;
  for (size_t i = 0; i < ranges.size(); ++i) {
    const Range& range = ranges[i];
    if (NsightTable::IsRun(range.text)) {
      stacks[i] = ":" + std::to_string(i);
    } else if (range.parent != kNoRange) {
      stacks[i] = stacks[range.parent];
    }
    rows.Add({.name = range.text,
              .start = range.on_gpu.start,
              .duration = Duration(range.on_gpu),
              .process = (range.thread >> kThreadBits) & kThreadMask,
              .thread = range.thread & kThreadMask,
              .kernels = range.on_gpu.count,
              .range = static_cast<int64_t>(i),
              .range_stack = stacks[i]});
  }
  Profile profile = rows.Take();
  profile.kind = ProfileKind::kNsightDatabase;
  if (!file.problem().empty()) {
    profile.diagnostics.Add(MakeBinaryDiagnostic(diag::kDamagedProfile, 0, file.problem()));
  } else if (profile.events.empty()) {
    return fail(
        "no range of this database names an HLO op and has work on a GPU: record XLA's "
        "ranges with nsys profile --trace=cuda,nvtx");
  }
  return profile;
}

}  // namespace halo

// When each device did what: the steps of a compiled run in sequence, and the collectives in flight
// between a start and its await. Written as a trace for Perfetto.
#ifndef HALO_API_OBSERVE_TIMELINE_H_
#define HALO_API_OBSERVE_TIMELINE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct TimelineEvent {
  std::string name;            // of the instruction
  std::string kind;            // kernel, library, start, await, ...
  bool communicates = false;   // starts a collective or waits for one
  int64_t begin = 0, end = 0;  // nanoseconds since the run began
  uint64_t starts = 0;         // number of the collective it starts; 0: none
  uint64_t awaits = 0;
};

struct RankTimeline {
  int64_t rank = 0;
  std::vector<TimelineEvent> events;
};

// A Perfetto trace: one track per rank, one slice per event, and one flow from each start to its
// await.
std::string PerfettoTrace(std::string_view program, std::span<const RankTimeline> ranks);

}  // namespace halo

#endif  // HALO_API_OBSERVE_TIMELINE_H_

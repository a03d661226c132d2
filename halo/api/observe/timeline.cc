// Field numbers are those of Perfetto's trace_packet.proto, track_descriptor.proto and
// track_event.proto.
#include "halo/api/observe/timeline.h"

#include <bit>

#include "halo/proto/wire/wire.h"

namespace halo {
namespace {

constexpr uint32_t kPacket = 1;
constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kTrackDescriptor = 60;
constexpr uint32_t kTrackUuid = 1, kTrackName = 2, kTrackProcess = 3;
constexpr uint32_t kProcessPid = 1, kProcessName = 6;
constexpr uint32_t kEventType = 9, kEventTrack = 11, kEventCategory = 22, kEventName = 23;
constexpr uint32_t kFlows = 47, kEndingFlows = 48;
constexpr int64_t kSliceBegin = 1, kSliceEnd = 2;

int64_t TrackOf(int64_t rank) { return rank + 1; }
// Collective numbers are local to a rank.
uint64_t FlowOf(int64_t rank, uint64_t collective) {
  return (static_cast<uint64_t>(TrackOf(rank)) << 40) | collective;
}
void Fixed64(uint32_t field, uint64_t value, WireWriter& out) {
  out.Double(field, std::bit_cast<double>(value));
}

void AddTrack(std::string_view program, int64_t rank, WireWriter& out) {
  const size_t packet = out.Begin(kPacket);
  out.Int(kSequence, TrackOf(rank));
  const size_t track = out.Begin(kTrackDescriptor);
  const std::string name = "rank " + std::to_string(rank);
  out.Int(kTrackUuid, TrackOf(rank));
  out.Bytes(kTrackName, name);
  const size_t process = out.Begin(kTrackProcess);
  out.Int(kProcessPid, TrackOf(rank));
  out.Bytes(kProcessName, name + " of " + std::string(program));
  out.End(process);
  out.End(track);
  out.End(packet);
}

void AddEdge(int64_t rank, const TimelineEvent& event, bool is_begin, WireWriter& out) {
  const size_t packet = out.Begin(kPacket);
  out.Int(kTimestamp, is_begin ? event.begin : event.end);
  out.Int(kSequence, TrackOf(rank));
  const size_t edge = out.Begin(kTrackEvent);
  out.Int(kEventType, is_begin ? kSliceBegin : kSliceEnd);
  out.Int(kEventTrack, TrackOf(rank));
  if (is_begin) {
    out.Bytes(kEventCategory, event.communicates ? "communication" : "compute");
    out.Bytes(kEventName, event.kind + " %" + event.name);
    if (event.starts != 0) Fixed64(kFlows, FlowOf(rank, event.starts), out);
    if (event.awaits != 0) Fixed64(kEndingFlows, FlowOf(rank, event.awaits), out);
  }
  out.End(edge);
  out.End(packet);
}

}  // namespace

std::string PerfettoTrace(std::string_view program, std::span<const RankTimeline> ranks) {
  WireWriter out;
  for (const RankTimeline& rank : ranks) {
    AddTrack(program, rank.rank, out);
    for (const TimelineEvent& event : rank.events) {
      AddEdge(rank.rank, event, true, out);
      AddEdge(rank.rank, event, false, out);
    }
  }
  return out.Take();
}

}  // namespace halo

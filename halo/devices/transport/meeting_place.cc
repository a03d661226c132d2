// The layout of a group's shared bytes: the arrival count of each member, then the rendezvous
// slots. Each slot has one cache line per member that counts the pieces taken from its share,
// followed by the locations of the members' arrays.
#include "halo/devices/transport/meeting_place.h"

#include "halo/base/round_up.h"

namespace halo {
namespace {

constexpr int64_t kLine = 64;

int64_t VisitBytes(size_t members) {
  return RoundUp(static_cast<int64_t>(members * sizeof(std::atomic<uint32_t>)), kLine);
}

int64_t OneMeeting(size_t members, size_t arrays) {
  return RoundUp(static_cast<int64_t>(sizeof(Meeting) + members * kLine +
                                      members * arrays * sizeof(SharedPlace)),
                 kLine);
}

}  // namespace

int64_t MeetingPlace::BytesFor(size_t members, size_t arrays) {
  return VisitBytes(members) + kMeetings * OneMeeting(members, arrays);
}

int64_t MeetingPlace::MeetingBytes() const { return OneMeeting(members_, arrays_); }

void MeetingPlace::Open() const {
  for (uint32_t i = 0; i < kMeetings; ++i) meeting(i).number.value.store(i);
}

Meeting& MeetingPlace::meeting(uint32_t number) const {
  return *reinterpret_cast<Meeting*>(memory_ + VisitBytes(members_) +
                                     number % kMeetings * MeetingBytes());
}

std::atomic<uint32_t>& MeetingPlace::taken(uint32_t number, size_t member) const {
  uint8_t* lines = reinterpret_cast<uint8_t*>(&meeting(number)) + sizeof(Meeting);
  return *reinterpret_cast<std::atomic<uint32_t>*>(lines + static_cast<int64_t>(member) * kLine);
}

std::atomic<uint32_t>& MeetingPlace::busy(uint32_t number, size_t member) const {
  return *(&taken(number, member) + 1);
}

std::span<SharedPlace> MeetingPlace::places(uint32_t number, size_t member) const {
  auto* all =
      reinterpret_cast<SharedPlace*>(reinterpret_cast<uint8_t*>(&meeting(number)) +
                                     sizeof(Meeting) + static_cast<int64_t>(members_) * kLine);
  return {all + member * arrays_, arrays_};
}

std::atomic<uint32_t>& MeetingPlace::visits(size_t member) const {
  return reinterpret_cast<std::atomic<uint32_t>*>(memory_)[member];
}

}  // namespace halo

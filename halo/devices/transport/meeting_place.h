// Where the members of one group meet, in memory they share: who has come to which op, where its
// arrays lie, and which pieces of the work are taken and done. Meetings of a group are numbered; a
// few can be under way at once.
#ifndef HALO_DEVICES_TRANSPORT_MEETING_PLACE_H_
#define HALO_DEVICES_TRANSPORT_MEETING_PLACE_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "halo/devices/job/node_memory.h"
#include "halo/devices/job/shared_wait.h"

namespace halo {

// What the members do about one op.
struct alignas(64) Meeting {
  static constexpr uint32_t kGathering = 0, kWorking = 1, kDone = 2;
  SharedWord number;  // of the meeting this serves
  SharedWord phase;
  std::atomic<uint32_t> op;     // of whoever came first, plus one
  std::atomic<uint32_t> first;  // who that was
  std::atomic<uint32_t> came;
  std::atomic<uint32_t> left;
  alignas(64) std::atomic<uint32_t> done;  // pieces
};

class MeetingPlace {
 public:
  static constexpr uint32_t kMeetings = 16;  // under way at once

  // `arrays`: the most that any op of the group takes and yields.
  static int64_t BytesFor(size_t members, size_t arrays);
  // `memory` is zeroed, and the same bytes for all members.
  MeetingPlace(uint8_t* memory, size_t members, size_t arrays)
      : memory_(memory), members_(members), arrays_(arrays) {}

  // By one of the members, before any uses it.
  void Open() const;

  [[nodiscard]] Meeting& meeting(uint32_t number) const;
  // Pieces taken of the member's share.
  [[nodiscard]] std::atomic<uint32_t>& taken(uint32_t number, size_t member) const;
  // Not zero while the member is at a piece.
  [[nodiscard]] std::atomic<uint32_t>& busy(uint32_t number, size_t member) const;
  // Where member's arrays lie: operands, then results.
  [[nodiscard]] std::span<SharedPlace> places(uint32_t number, size_t member) const;
  // How many meetings the member has come to.
  [[nodiscard]] std::atomic<uint32_t>& visits(size_t member) const;
  [[nodiscard]] size_t members() const { return members_; }
  [[nodiscard]] size_t arrays() const { return arrays_; }

 private:
  [[nodiscard]] int64_t MeetingBytes() const;

  uint8_t* memory_;
  size_t members_;
  size_t arrays_;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_MEETING_PLACE_H_

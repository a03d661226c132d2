// Where the members of one group rendezvous, in shared memory: which member has arrived at which
// op, where its arrays are stored, and which pieces of the work are taken and done. The rendezvous
// of a group are numbered; a few can be in progress at once.
#ifndef HALO_DEVICES_TRANSPORT_RENDEZVOUS_H_
#define HALO_DEVICES_TRANSPORT_RENDEZVOUS_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "halo/devices/job/node_memory.h"
#include "halo/devices/job/shared_wait.h"

namespace halo {

// A rendezvous slot: the state that the members share for one op.
struct alignas(64) RendezvousSlot {
  static constexpr uint32_t kGathering = 0, kWorking = 1, kDone = 2;
  FutexWord number;  // of the rendezvous this slot serves
  FutexWord phase;
  std::atomic<uint32_t> op;     // of the first member to arrive, plus one
  std::atomic<uint32_t> first;  // that member, plus one
  std::atomic<uint32_t> arrived;
  std::atomic<uint32_t> left;
  alignas(64) std::atomic<uint32_t> done;  // pieces
};

class Rendezvous {
 public:
  static constexpr uint32_t kSlots = 16;  // in progress at once

  // `arrays`: the largest number of operands and results of any op of the group.
  static int64_t BytesFor(size_t members, size_t arrays);
  // `memory` must be zeroed, and must be the same bytes for all members.
  Rendezvous(uint8_t* memory, size_t members, size_t arrays)
      : memory_(memory), members_(members), arrays_(arrays) {}

  // Must be called by one member before any member uses the slots.
  void Open() const;

  [[nodiscard]] RendezvousSlot& slot(uint32_t number) const;
  // Number of pieces taken from the member's share.
  [[nodiscard]] std::atomic<uint32_t>& taken(uint32_t number, size_t member) const;
  // Nonzero while the member is working on a piece.
  [[nodiscard]] std::atomic<uint32_t>& busy(uint32_t number, size_t member) const;
  // Locations of the member's arrays: operands, then results.
  [[nodiscard]] std::span<SharedLocation> locations(uint32_t number, size_t member) const;
  // Number of rendezvous the member has arrived at.
  [[nodiscard]] std::atomic<uint32_t>& visits(size_t member) const;
  [[nodiscard]] size_t members() const { return members_; }
  [[nodiscard]] size_t arrays() const { return arrays_; }

 private:
  [[nodiscard]] int64_t SlotBytes() const;

  uint8_t* memory_;
  size_t members_;
  size_t arrays_;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_RENDEZVOUS_H_

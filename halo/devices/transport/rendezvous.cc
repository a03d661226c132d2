// The layout of a group's shared bytes: the arrival count of each member, then the rendezvous
// slots. Each slot has one cache line per member that counts the pieces taken from its share,
// followed by the locations of the members' arrays.
#include "halo/devices/transport/rendezvous.h"

#include "halo/base/round_up.h"

namespace halo {
namespace {

constexpr int64_t kLine = 64;

int64_t VisitBytes(size_t members) {
  return RoundUp(static_cast<int64_t>(members * sizeof(std::atomic<uint32_t>)), kLine);
}

int64_t OneSlotBytes(size_t members, size_t arrays) {
  return RoundUp(static_cast<int64_t>(sizeof(RendezvousSlot) + members * kLine +
                                      members * arrays * sizeof(SharedLocation)),
                 kLine);
}

}  // namespace

int64_t Rendezvous::BytesFor(size_t members, size_t arrays) {
  return VisitBytes(members) + kSlots * OneSlotBytes(members, arrays);
}

int64_t Rendezvous::SlotBytes() const { return OneSlotBytes(members_, arrays_); }

void Rendezvous::Open() const {
  for (uint32_t i = 0; i < kSlots; ++i) slot(i).number.value.store(i);
}

RendezvousSlot& Rendezvous::slot(uint32_t number) const {
  return *reinterpret_cast<RendezvousSlot*>(memory_ + VisitBytes(members_) +
                                            number % kSlots * SlotBytes());
}

std::atomic<uint32_t>& Rendezvous::taken(uint32_t number, size_t member) const {
  uint8_t* lines = reinterpret_cast<uint8_t*>(&slot(number)) + sizeof(RendezvousSlot);
  return *reinterpret_cast<std::atomic<uint32_t>*>(lines + static_cast<int64_t>(member) * kLine);
}

std::atomic<uint32_t>& Rendezvous::busy(uint32_t number, size_t member) const {
  return *(&taken(number, member) + 1);
}

std::span<SharedLocation> Rendezvous::locations(uint32_t number, size_t member) const {
  auto* all = reinterpret_cast<SharedLocation*>(reinterpret_cast<uint8_t*>(&slot(number)) +
                                                sizeof(RendezvousSlot) +
                                                static_cast<int64_t>(members_) * kLine);
  return {all + member * arrays_, arrays_};
}

std::atomic<uint32_t>& Rendezvous::visits(size_t member) const {
  return reinterpret_cast<std::atomic<uint32_t>*>(memory_)[member];
}

}  // namespace halo

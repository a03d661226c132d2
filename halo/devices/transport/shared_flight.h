// A collective of devices that share memory. Who comes last opens the work. Everyone has a share of
// it, so that the same process touches the same pages each time; whoever waits in vain takes pieces
// of others' shares, so that a member that computes in the meantime keeps nobody waiting and nobody
// needs a thread for it.
#ifndef HALO_DEVICES_TRANSPORT_SHARED_FLIGHT_H_
#define HALO_DEVICES_TRANSPORT_SHARED_FLIGHT_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halo/devices/combine/group_work.h"
#include "halo/devices/transport/flight.h"
#include "halo/devices/transport/meeting_place.h"
#include "halo/devices/transport/staging.h"

namespace halo {

// A group on one machine, as one of its members sees it.
struct SharedGroup {
  std::vector<int64_t> devices;
  std::vector<int64_t> processes;  // of the machine, by member
  size_t me = 0;
  std::optional<MeetingPlace> place;
  uint32_t next_meeting = 0;
};

class SharedFlight : public Flight {
 public:
  // All must outlive it.
  SharedFlight(uint32_t number, const CollectiveOp& op, GroupWork& work, SharedGroup& group,
               const NodeMemory& memory, Staging& staging);
  ~SharedFlight() override;

  // False while there is no room: for its arrays in staging, or for one more meeting. Tried again
  // once earlier flights have advanced.
  bool Board(std::span<const void* const> operands, std::span<void* const> results);
  // Comes to the meeting; if another op is under way there, its number.
  std::optional<uint32_t> Arrive();

  Result<bool> Advance(int pieces) override;
  void Sleep(double seconds) override;
  [[nodiscard]] uint32_t meeting() const override { return number_; }
  // Who is at the other op; after Arrive said so.
  [[nodiscard]] int64_t other_device() const;

 private:
  struct Staged {
    uint8_t* memory = nullptr;
    void* result = nullptr;  // where it goes when done; null for an operand
    int64_t bytes = 0;
  };

  std::optional<SharedPlace> PlaceOf(const void* array, int64_t bytes, bool is_result);
  void GiveBack();
  void FindArrays();
  // A piece of the member's share that nobody has taken yet.
  std::optional<uint32_t> TakeFrom(size_t member);
  std::optional<uint32_t> Take();
  std::optional<Diagnostic> Work(int pieces);
  void Leave();

  const CollectiveOp& collective_;
  GroupWork& work_;
  SharedGroup& group_;
  const NodeMemory& memory_;
  Staging& staging_;
  uint32_t number_ = 0;
  Meeting* at_ = nullptr;
  std::vector<SharedPlace> places_;
  std::vector<Staged> staged_;
  std::vector<const void*> own_operands_;
  std::vector<void*> own_results_;
  MemberArrays arrays_;
  size_t emptied_ = 0;  // shares, from this member's on, of which nothing is left
  bool helps_ = false;  // with others' shares
  int idle_ = 0;        // yields in which nothing moved
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_SHARED_FLIGHT_H_

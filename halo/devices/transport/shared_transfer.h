// A collective between devices that share memory. The last rank to arrive starts the work. Every
// member has a share of it, so that the same process touches the same pages each time. A member
// that waits too long takes pieces of others' shares, so a member that is busy computing blocks no
// other, and no progress thread is needed.
#ifndef HALO_DEVICES_TRANSPORT_SHARED_TRANSFER_H_
#define HALO_DEVICES_TRANSPORT_SHARED_TRANSFER_H_

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halo/devices/combine/group_work.h"
#include "halo/devices/transport/rendezvous.h"
#include "halo/devices/transport/staging.h"
#include "halo/devices/transport/transfer.h"

namespace halo {

// A group on one machine, as one of its members sees it.
struct SharedGroup {
  std::vector<int64_t> devices;
  std::vector<int64_t> processes;  // on the machine, by member
  size_t me = 0;
  std::optional<Rendezvous> rendezvous;
  uint32_t next_rendezvous = 0;
};

class SharedTransfer : public Transfer {
 public:
  // All arguments must outlive this object.
  SharedTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work, SharedGroup& group,
                 const NodeMemory& memory, Staging& staging);
  ~SharedTransfer() override;

  // Returns false if there is no staging memory for the arrays or no free rendezvous slot. Try
  // again once earlier ops have advanced.
  bool Board(std::span<const void* const> operands, std::span<void* const> results);
  // Arrives at the rendezvous. If another op is in progress there, returns its number.
  std::optional<uint32_t> Arrive();

  Result<bool> Advance(int pieces) override;
  void Sleep(double seconds) override;
  [[nodiscard]] uint32_t rendezvous() const override { return number_; }
  // A device at that other op. Call only after Arrive has returned one.
  [[nodiscard]] int64_t other_device() const;

 protected:
  struct Staged {
    uint8_t* memory = nullptr;
    void* result = nullptr;  // destination on completion; null for an operand
    int64_t bytes = 0;
  };

  std::optional<SharedLocation> LocationOf(const void* array, int64_t bytes, bool is_result);
  void GiveBack();
  void FindArrays();
  // Takes a piece of the member's share that is still untaken.
  std::optional<uint32_t> TakeFrom(size_t member);
  std::optional<uint32_t> Take();
  // Does at most so many pieces once all members have arrived. The last to finish wakes the others.
  virtual std::optional<Diagnostic> Work(int pieces);
  // Whether every member has something to do as soon as the last one has arrived.
  [[nodiscard]] virtual bool WakesAll() const { return work_.pieces() > 1; }
  void Leave();

  const CollectiveOp& collective_;
  GroupWork& work_;
  SharedGroup& group_;
  const NodeMemory& memory_;
  Staging& staging_;
  uint32_t number_ = 0;
  RendezvousSlot* at_ = nullptr;
  std::vector<SharedLocation> locations_;
  std::vector<Staged> staged_;
  std::vector<const void*> own_operands_;
  std::vector<void*> own_results_;
  MemberArrays arrays_;
  size_t emptied_ = 0;  // exhausted shares, counted from this member's on
  bool helps_ = false;  // with others' shares
  int idle_ = 0;        // yields without progress
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_SHARED_TRANSFER_H_

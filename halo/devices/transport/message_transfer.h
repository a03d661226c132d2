// A collective through messages, for groups that span machines and for sends and receives.
// Reductions exchange slices, combine them in the group's order and exchange the sums, so the
// result bits match those of shared memory.
#ifndef HALO_DEVICES_TRANSPORT_MESSAGE_TRANSFER_H_
#define HALO_DEVICES_TRANSPORT_MESSAGE_TRANSFER_H_

#include <cstdint>
#include <functional>
#include <mpi.h>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/devices/combine/group_work.h"
#include "halo/devices/transport/transfer.h"
#include "halo/runtime/collective.h"

namespace halo {

// A group as one of its members sees it. The ranks of `comm` are the members in order; for sends
// and receives they are all devices.
struct MessageGroup {
  std::vector<int64_t> devices;
  size_t me = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  std::function<std::string(int64_t op)> name_of;  // for diagnostics
  uint32_t next_rendezvous = 0;
};

class MessageTransfer : public Transfer {
 public:
  // All arguments must outlive this object, and so must the arrays.
  MessageTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work, MessageGroup& group,
                  std::span<const void* const> operands, std::span<void* const> results);
  ~MessageTransfer() override;

  // Posts the first messages.
  std::optional<Diagnostic> Depart();

  Result<bool> Advance(int pieces) override;
  void Sleep(double seconds) override;
  [[nodiscard]] uint32_t rendezvous() const override { return rendezvous_; }

 private:
  // A message of this op to or from a member: a header with the op's number, then the bytes.
  struct Message {
    size_t peer = 0;
    bool is_sent = false;
    std::vector<uint8_t> bytes;
  };

  [[nodiscard]] size_t members() const { return group_.devices.size(); }
  [[nodiscard]] const uint8_t* operand(size_t i) const {
    return static_cast<const uint8_t*>(operands_[i]);
  }
  [[nodiscard]] uint8_t* result(size_t i) const { return static_cast<uint8_t*>(results_[i]); }
  // The bytes of a reduction that a member combines: a range of the elements of each array.
  // Sent before the data; tells the receiver which operation the sender is at.
  [[nodiscard]] int64_t header() const;
  [[nodiscard]] std::pair<int64_t, int64_t> SliceOf(size_t array, size_t member) const;

  void Send(size_t peer, std::vector<uint8_t> payload);
  void Receive(size_t peer, int64_t bytes);
  std::optional<Diagnostic> Post();
  std::optional<Diagnostic> CheckHeaders() const;
  // A member's contribution, from the first round's messages or from this device itself.
  [[nodiscard]] const uint8_t* Received(size_t peer) const;

  void FirstRound();
  std::optional<Diagnostic> EndFirstRound();
  void EndSecondRound();
  std::vector<uint8_t> PackFor(size_t peer) const;
  [[nodiscard]] int64_t BytesFrom(size_t peer) const;
  [[nodiscard]] bool TakesFrom(size_t peer) const;
  [[nodiscard]] bool GivesTo(size_t peer) const;
  void Unpack(size_t peer, const uint8_t* from);
  std::optional<Diagnostic> ReduceSlice();
  std::optional<Diagnostic> DefineFromAll();

  const CollectiveOp& collective_;
  GroupWork& work_;
  MessageGroup& group_;
  uint32_t rendezvous_ = 0;
  std::vector<const void*> operands_;
  std::vector<void*> results_;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
  int round_ = 0;
  int sleeps_ = 0;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_MESSAGE_TRANSFER_H_

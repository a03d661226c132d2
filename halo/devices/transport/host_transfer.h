// A collective of a group that spans machines. The members of each machine rendezvous in shared
// memory and act for each other: data crosses between two machines once, not once per member.
// HostJob decides what one member does; results have the same bits as on one machine.
#ifndef HALO_DEVICES_TRANSPORT_HOST_TRANSFER_H_
#define HALO_DEVICES_TRANSPORT_HOST_TRANSFER_H_

#include <memory>

#include "halo/devices/transport/host_group.h"
#include "halo/devices/transport/host_job.h"
#include "halo/devices/transport/shared_transfer.h"

namespace halo {

class HostTransfer final : public SharedTransfer {
 public:
  // All arguments must outlive this object. CanSpan(op, work, group) must hold.
  HostTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work, HostGroup& group,
               const NodeMemory& memory, Staging& staging);

  void Sleep(double seconds) override;

 private:
  std::optional<Diagnostic> Work(int pieces) override;
  [[nodiscard]] bool WakesAll() const override { return true; }
  void FindAllArrays();

  HostGroup& hosts_;
  MemberArrays all_arrays_;  // of all members; null for those of other machines
  std::unique_ptr<HostJob> job_;
  bool is_over_ = false;
  int naps_ = 0;
};

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_HOST_TRANSFER_H_

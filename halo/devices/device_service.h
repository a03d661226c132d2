// The collective service over MPI. Decides which transport each group uses, tracks in-flight
// operations, and defines what waiting means.
#ifndef HALO_DEVICES_DEVICE_SERVICE_H_
#define HALO_DEVICES_DEVICE_SERVICE_H_

#include <map>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <vector>

#include "halo/base/containers/aligned_block.h"
#include "halo/devices/combine/group_work.h"
#include "halo/devices/job/board.h"
#include "halo/devices/job/control.h"
#include "halo/devices/job/host_watch.h"
#include "halo/devices/job/join.h"
#include "halo/devices/job/node_memory.h"
#include "halo/devices/transport/host_transfer.h"
#include "halo/devices/transport/message_transfer.h"
#include "halo/devices/transport/shared_transfer.h"
#include "halo/devices/transport/staging.h"
#include "halo/runtime/collective.h"

namespace halo {

class DeviceService final : public CollectiveService {
 public:
  DeviceService(const JoinOptions& options, bool owns_mpi);
  ~DeviceService() override;
  std::optional<Diagnostic> Open();

  [[nodiscard]] int64_t device() const override { return rank_; }
  [[nodiscard]] int64_t device_count() const override { return size_; }
  [[nodiscard]] int64_t local_devices() const override {
    return static_cast<int64_t>(local_.size());
  }
  [[nodiscard]] int64_t by_messages() const override { return by_messages_; }
  void SetTimeout(double seconds) override { timeout_ = seconds; }
  Result<uint32_t> Prepare(std::vector<CollectiveOp> ops) override;
  Result<std::shared_ptr<SharedBlock>> Allocate(int64_t bytes) override;
  Result<CollectiveHandle> Start(uint32_t op, std::span<const void* const> operands,
                                 std::span<void* const> results) override;
  std::optional<Diagnostic> Wait(CollectiveHandle handle) override;
  Result<bool> Test(CollectiveHandle handle) override;
  std::optional<Diagnostic> Progress() override;
  std::optional<Diagnostic> Barrier() override;
  Result<std::vector<std::string>> Gather(std::string_view mine) override;
  Result<std::string> Broadcast(std::string_view text, int64_t root) override;
  void Publish(int64_t position) override;
  [[nodiscard]] std::vector<int64_t> Positions() const override;
  [[nodiscard]] bool HasLost() const override { return board_ && board_->has_lost(); }
  [[nodiscard]] std::optional<Diagnostic> LossOfFirst() const override;
  void EndJob(int exit_code) override;
  void Fail(const Diagnostic& why) override;
  void Finish() override;

 private:
  class Talk;
  using Members = std::vector<int64_t>;
  enum class Traffic : uint8_t { kCollectives, kTransfers };
  // An op and this device's part in it.
  struct Prepared {
    CollectiveOp op;
    // Where the group rendezvous on this machine. With messages as well, they move the data and the
    // rendezvous only shows who has arrived.
    SharedGroup* shared = nullptr;
    MessageGroup* messages = nullptr;
    HostGroup* hosts = nullptr;  // the group spans machines, and they act for their members
    std::unique_ptr<GroupWork> work;
  };

  std::optional<Diagnostic> Agree(const std::vector<CollectiveOp>& ops);
  std::optional<Diagnostic> OpenGroups(size_t first_op);
  std::optional<Diagnostic> OpenStaging(size_t first_op, bool* enough);
  std::optional<Diagnostic> OpenRendezvous(size_t first_op);
  // Sets `opened` to whether all machines could; groups then use them.
  std::optional<Diagnostic> OpenHosts(size_t first_op, bool enough, bool* opened);
  std::optional<Diagnostic> OpenHostGroup(const Members& members, HostGroup& group);
  std::optional<Diagnostic> FindMachines();
  Result<MPI_Comm> OpenComm(const Members& members);
  [[nodiscard]] std::string NameOf(int64_t op) const;  // for diagnostics
  Result<MessageGroup*> OpenMessages(Traffic traffic, const Members& members);
  [[nodiscard]] bool IsLocal(const Members& members) const;
  [[nodiscard]] const Members& GroupIn(const CollectiveOp& op, int64_t device) const;
  std::optional<Diagnostic> Meet(SharedTransfer& transfer, const CollectiveOp& op,
                                 std::span<const void* const> operands,
                                 std::span<void* const> results);
  Result<std::unique_ptr<Transfer>> Launch(Prepared& prepared, uint32_t op,
                                           std::span<const void* const> operands,
                                           std::span<void* const> results);
  // Advances all in-flight operations and drops those that have completed.
  std::optional<Diagnostic> AdvanceAll(int pieces);
  // Given how long a wait has lasted, returns what is wrong, or nothing if it may still complete.
  std::optional<Diagnostic> Trouble(double waited);
  std::optional<Diagnostic> FindDeadlock(double waited) const;
  static bool IsTransfer(const CollectiveOp& op) {
    return op.kind == CollectiveKind::kSend || op.kind == CollectiveKind::kRecv;
  }
  [[nodiscard]] std::string WhereIs(int64_t device) const;
  [[nodiscard]] bool MustArrive(int64_t device, uint32_t op, uint32_t rendezvous) const;
  // True if another member of the group waits at the same rendezvous with another op: by messages,
  // neither would hear of the other.
  [[nodiscard]] bool IsElsewhere(int64_t device, const Board::Row& at, const Board::Row& other,
                                 int64_t other_device) const;
  [[nodiscard]] bool IsBusy(int64_t device, const Board::Row& at) const;
  [[nodiscard]] Board::Row RowOf(int64_t device) const;
  Diagnostic Failed(Diagnostic why);

  JoinOptions options_;
  bool owns_mpi_;
  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Comm node_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  double timeout_ = 0;
  std::map<int64_t, int64_t> local_;  // device -> process on this machine
  std::vector<int64_t> local_devices_;
  std::vector<int64_t> machine_of_;  // by device: the lowest device of its machine
  std::vector<std::string> hosts_;   // by device: the name of its machine
  int64_t fewest_cores_ = 1;         // of a machine
  std::optional<NodeMemory> memory_;
  std::optional<Board> board_;
  std::optional<Control> control_;
  std::unique_ptr<HostWatch> watch_;  // if the job spans machines
  Staging staging_;
  bool shares_ = false;  // data through memory
  std::vector<std::unique_ptr<Prepared>> ops_;
  // All groups on this machine, including those without this device: a waiting device examines all
  // of them.
  std::map<Members, std::unique_ptr<SharedGroup>> shared_groups_;
  // Transfers have a separate communicator: their tags are channels, those of collectives are not.
  std::map<std::pair<Traffic, Members>, std::unique_ptr<MessageGroup>> message_groups_;
  // Groups that span machines, if those can act for their members.
  std::map<Members, std::unique_ptr<HostGroup>> host_groups_;
  std::map<uint64_t, std::unique_ptr<Transfer>> transfers_;
  uint64_t next_transfer_ = 0;
  int64_t by_messages_ = 0;  // ops started
  bool failed_ = false;
  bool finished_ = false;
};

}  // namespace halo

#endif  // HALO_DEVICES_DEVICE_SERVICE_H_

// In-flight operations: starts them, advances them whenever a device is idle, and waits for them.
#include "halo/devices/device_service.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "halo/devices/job/mpi_call.h"
#include "halo/devices/job/shared_wait.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr double kNap = 0.02;  // seconds between checks that waiting is not futile
constexpr double kToNotice = 0.2;
constexpr int kAllPieces = 1 << 30;

class WindowBlock final : public SharedBlock {
 public:
  WindowBlock(uint8_t* data, int64_t bytes) : data_(data), bytes_(bytes) {}
  [[nodiscard]] uint8_t* data() const override { return data_; }
  [[nodiscard]] int64_t bytes() const override { return bytes_; }

 private:
  uint8_t* data_;
  int64_t bytes_;
};

// Used where memory cannot be shared.
class PrivateBlock final : public SharedBlock {
 public:
  explicit PrivateBlock(int64_t bytes) : arena_(bytes), bytes_(bytes) {}
  [[nodiscard]] uint8_t* data() const override { return arena_.data(); }
  [[nodiscard]] int64_t bytes() const override { return bytes_; }

 private:
  AlignedBlock arena_;
  int64_t bytes_;
};

}  // namespace

Diagnostic DeviceService::Failed(Diagnostic why) {
  failed_ = true;
  // If a device is lost, MPI's calls may fail before the watch has said which one.
  const double begin = MonotonicSeconds();
  while (watch_ && !board_->failed() && MonotonicSeconds() - begin < kToNotice) usleep(1000);
  if (watch_ && board_->has_lost()) why = board_->why();
  if (board_) board_->Fail(why);
  if (watch_) watch_->TellFailure();
  return why;
}

Result<std::shared_ptr<SharedBlock>> DeviceService::Allocate(int64_t bytes) {
  // Allocating shared memory blocks forever if a device does not arrive, so wait for all devices
  // first.
  if (auto failed = Barrier()) return *std::move(failed);
  if (shares_) {
    Result<std::optional<int64_t>> segment = memory_->Add(bytes);
    if (!segment) return Failed(segment.error());
    if (*segment) {
      return std::shared_ptr<SharedBlock>(
          std::make_shared<WindowBlock>(memory_->Own(**segment), bytes));
    }
  }
  auto block = std::make_shared<PrivateBlock>(bytes);
  if (bytes > 0 && block->data() == nullptr) {
    return Failed(MakeBinaryDiagnostic(
        diag::kMemoryLimit, 0, "cannot allocate " + std::to_string(bytes) + " bytes of buffers"));
  }
  return std::shared_ptr<SharedBlock>(std::move(block));
}

Result<std::unique_ptr<Transfer>> DeviceService::Launch(Prepared& prepared, uint32_t op,
                                                        std::span<const void* const> operands,
                                                        std::span<void* const> results) {
  if (prepared.messages != nullptr) {
    auto transfer = std::make_unique<MessageTransfer>(op, prepared.op, *prepared.work,
                                                      *prepared.messages, operands, results);
    if (auto failed = transfer->Depart()) return *std::move(failed);
    ++by_messages_;
    if (prepared.shared != nullptr) {
      prepared.shared->rendezvous->visits(prepared.shared->me)
          .store(transfer->rendezvous() + 1, std::memory_order_release);
    }
    return std::unique_ptr<Transfer>(std::move(transfer));
  }
  std::unique_ptr<SharedTransfer> transfer;
  if (prepared.hosts != nullptr) {
    transfer = std::make_unique<HostTransfer>(op, prepared.op, *prepared.work, *prepared.hosts,
                                              *memory_, staging_);
    ++by_messages_;
  } else {
    transfer = std::make_unique<SharedTransfer>(op, prepared.op, *prepared.work, *prepared.shared,
                                                *memory_, staging_);
  }
  if (auto failed = Meet(*transfer, prepared.op, operands, results)) return *std::move(failed);
  return std::unique_ptr<Transfer>(std::move(transfer));
}

std::optional<Diagnostic> DeviceService::Meet(SharedTransfer& transfer, const CollectiveOp& op,
                                              std::span<const void* const> operands,
                                              std::span<void* const> results) {
  const double begin = MonotonicSeconds();
  while (!transfer.Board(operands, results)) {
    // Earlier ops are using the memory or the rendezvous slots. All devices reach those first.
    if (auto failed = AdvanceAll(kAllPieces)) return failed;
    YieldCore();
    if (auto trouble = Trouble(MonotonicSeconds() - begin)) return trouble;
  }
  if (const std::optional<uint32_t> other = transfer.Arrive()) {
    return MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0,
                                "device " + std::to_string(rank_) + " is at %" + op.name +
                                    ", device " + std::to_string(transfer.other_device()) +
                                    " of its group at %" + ops_[*other]->op.name);
  }
  return std::nullopt;
}

Result<CollectiveHandle> DeviceService::Start(uint32_t op, std::span<const void* const> operands,
                                              std::span<void* const> results) {
  if (op >= ops_.size() || operands.size() != ops_[op]->op.operands.size() ||
      results.size() != ops_[op]->op.results.size()) {
    return Failed(MakeBinaryDiagnostic(
        diag::kCannotEvaluate, 0,
        "a collective was started with other arrays than it was prepared for"));
  }
  if (board_->failed()) return Failed(board_->why());
  Result<std::unique_ptr<Transfer>> transfer = Launch(*ops_[op], op, operands, results);
  if (!transfer) return Failed(transfer.error());
  board_->SetState(DeviceState::kRunning, op + 1, (*transfer)->rendezvous());
  const uint64_t handle = next_transfer_++;
  transfers_.emplace(handle, std::move(*transfer));
  return CollectiveHandle{handle};
}

std::optional<Diagnostic> DeviceService::AdvanceAll(int pieces) {
  for (auto at = transfers_.begin(); at != transfers_.end();) {
    const Result<bool> done = at->second->Advance(pieces);
    if (!done) return done.error();
    at = *done ? transfers_.erase(at) : std::next(at);
  }
  return std::nullopt;
}

std::optional<Diagnostic> DeviceService::Wait(CollectiveHandle handle) {
  const auto at = transfers_.find(static_cast<uint64_t>(handle));
  if (at == transfers_.end()) return std::nullopt;  // it completed while other ops were advanced
  Transfer& transfer = *at->second;
  double begin = 0;
  while (true) {
    const Result<bool> done = transfer.Advance(kAllPieces);
    if (!done) return Failed(done.error());
    if (*done) break;
    if (begin == 0) {
      begin = MonotonicSeconds();
      board_->SetState(DeviceState::kWaiting, transfer.op() + 1, transfer.rendezvous());
    }
    if (transfers_.size() > 1) {
      // Skip the op being waited for: its completion would be lost.
      for (auto other = transfers_.begin(); other != transfers_.end();) {
        if (other->second.get() == &transfer) {
          ++other;
          continue;
        }
        const Result<bool> ended = other->second->Advance(1);
        if (!ended) return Failed(ended.error());
        other = *ended ? transfers_.erase(other) : std::next(other);
      }
    }
    transfer.Sleep(kNap);
    if (auto trouble = Trouble(MonotonicSeconds() - begin)) return Failed(*std::move(trouble));
  }
  if (begin != 0) board_->SetState(DeviceState::kRunning, transfer.op() + 1, transfer.rendezvous());
  transfers_.erase(at);
  return std::nullopt;
}

Result<bool> DeviceService::Test(CollectiveHandle handle) {
  if (auto failed = Progress()) return *std::move(failed);
  return !transfers_.contains(static_cast<uint64_t>(handle));
}

std::optional<Diagnostic> DeviceService::Progress() {
  if (transfers_.empty()) return std::nullopt;
  if (auto failed = AdvanceAll(1)) return Failed(*std::move(failed));
  return std::nullopt;
}

// Marks this device as kTalking on the board during an exchange between all devices.
class DeviceService::Talk {
 public:
  explicit Talk(DeviceService& service) : service_(service) {
    service.board_->SetState(DeviceState::kTalking, 0, 0);
  }
  ~Talk() {
    service_.board_->SetState(service_.finished_ ? DeviceState::kFinished : DeviceState::kRunning,
                              0, 0);
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

 private:
  DeviceService& service_;
};

std::optional<Diagnostic> DeviceService::Barrier() {
  const Talk talk(*this);
  auto failed = control_->Barrier();
  if (failed) return Failed(*std::move(failed));
  return std::nullopt;
}

Result<std::vector<std::string>> DeviceService::Gather(std::string_view mine) {
  const Talk talk(*this);
  Result<std::vector<std::string>> all = control_->Gather(mine);
  if (!all) return Failed(all.error());
  return all;
}

Result<std::string> DeviceService::Broadcast(std::string_view text, int64_t root) {
  const Talk talk(*this);
  Result<std::string> said = control_->Broadcast(text, root);
  if (!said) return Failed(said.error());
  return said;
}

void DeviceService::Publish(int64_t position) { board_->Publish(position); }

std::vector<int64_t> DeviceService::Positions() const {
  std::vector<int64_t> positions(static_cast<size_t>(size_), -1);
  for (const auto& [device, process] : local_) {
    positions[static_cast<size_t>(device)] = board_->position(process);
  }
  return positions;
}

std::optional<Diagnostic> DeviceService::LossOfFirst() const {
  if (watch_ == nullptr || !watch_->has_lost_first() || !board_->failed()) return std::nullopt;
  return board_->why();
}

// All but stopped processes end by themselves. The launcher of a machine that is cut off could not
// end anything, and would wait.
void DeviceService::EndJob(int exit_code) {
  if (board_->has_stopped()) halo::EndJob(exit_code);
}

void DeviceService::Fail(const Diagnostic& why) { (void)Failed(why); }

void DeviceService::Finish() {
  finished_ = true;
  board_->SetState(DeviceState::kFinished, 0, 0);
  if (watch_) watch_->Finish();
}

}  // namespace halo

// Explains why a wait will not complete: another device failed, has finished, waits for this one in
// turn, or takes longer than the timeout.
#include <algorithm>
#include <string>

#include "halo/devices/device_service.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {
namespace {

constexpr double kPatience = 0.1;  // before looking for a deadlock
// A large message may be under way for this long while its sender waits for something else.
constexpr double kTransferPatience = 5;
constexpr size_t kMostNamed = 8;

std::string Seconds(double seconds) {
  std::string text = std::to_string(seconds);
  return text.substr(0, text.find('.') + 2) + " s";
}

}  // namespace

std::string DeviceService::WhereIs(int64_t device) const {
  const Board::Row row = RowOf(device);
  const std::string name = "device " + std::to_string(device);
  if (row.state == DeviceState::kFinished) return name + " has ended";
  if (row.state == DeviceState::kTalking) return name + " waits for all devices";
  if (row.op == 0) return name + " has not reached a collective";
  return name + (row.state == DeviceState::kWaiting ? " at %" : " last at %") +
         ops_[row.op - 1]->op.name;
}

bool DeviceService::MustArrive(int64_t device, uint32_t op, uint32_t rendezvous) const {
  const std::vector<int64_t>& members = GroupIn(ops_[op]->op, device);
  const auto group = shared_groups_.find(members);
  if (group == shared_groups_.end()) return false;
  const auto at = std::ranges::find(members, device) - members.begin();
  return group->second->rendezvous->visits(static_cast<size_t>(at))
             .load(std::memory_order_acquire) <= rendezvous;
}

bool DeviceService::IsElsewhere(int64_t device, const Board::Row& at, const Board::Row& other,
                                int64_t other_device) const {
  if (other.state != DeviceState::kWaiting || other.op == at.op ||
      other.rendezvous != at.rendezvous) {
    return false;
  }
  const Prepared& own = *ops_[at.op - 1];
  const Prepared& theirs = *ops_[other.op - 1];
  if (IsTransfer(own.op) || IsTransfer(theirs.op)) return false;
  const std::vector<int64_t>& members = GroupIn(own.op, device);
  if (members != GroupIn(theirs.op, other_device)) return false;
  // What moves by messages is counted separately from what rendezvous on each machine. Which of the
  // two an op does is known for groups of this device only; the members of others look themselves.
  return std::ranges::find(members, rank_) != members.end() && own.messages == theirs.messages;
}

bool DeviceService::IsBusy(int64_t device, const Board::Row& at) const {
  if (device == rank_ || at.op == 0 || at.state != DeviceState::kWaiting) return false;
  const std::vector<int64_t>& members = GroupIn(ops_[at.op - 1]->op, rank_);
  const auto group = shared_groups_.find(members);
  const auto member = std::ranges::find(members, device);
  if (group == shared_groups_.end() || member == members.end()) return false;
  return group->second->rendezvous
             ->busy(at.rendezvous, static_cast<size_t>(member - members.begin()))
             .load(std::memory_order_relaxed) != 0;
}

// An op that this device has not prepared yet counts as no op.
Board::Row DeviceService::RowOf(int64_t device) const {
  Board::Row row = board_->StateOf(local_.at(device));
  if (row.op > ops_.size() || (row.op == 0 && row.state == DeviceState::kWaiting)) {
    row = {DeviceState::kRunning, 0, 0, row.talks};
  }
  return row;
}

std::optional<Diagnostic> DeviceService::FindDeadlock(double waited) const {
  const uint64_t version = board_->BeginRead();
  std::map<int64_t, Board::Row> rows;
  for (const int64_t device : local_devices_) {
    rows[device] = RowOf(device);
  }
  std::map<int64_t, bool> can_go_on;
  const auto waits_for = [&](int64_t device, int64_t other) {
    const Board::Row& row = rows[device];
    // A finished device can still take part in exchanges. A device that has already entered this
    // exchange blocks no other, although others may not have noticed yet that the exchange is over.
    if (row.state == DeviceState::kTalking) {
      return rows[other].talks < row.talks && (rows[other].state == DeviceState::kRunning ||
                                               rows[other].state == DeviceState::kWaiting);
    }
    const std::vector<int64_t>& members = GroupIn(ops_[row.op - 1]->op, device);
    return std::ranges::find(members, other) != members.end() &&
           (MustArrive(other, row.op - 1, row.rendezvous) ||
            IsElsewhere(device, row, rows[other], other));
  };
  const auto may_receive = [&](const Board::Row& row) {
    return row.state == DeviceState::kWaiting && IsTransfer(ops_[row.op - 1]->op) &&
           waited < kTransferPatience;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [device, row] : rows) {
      if (can_go_on[device] || row.state == DeviceState::kFinished) continue;
      const bool free = row.state == DeviceState::kRunning || may_receive(row) ||
                        std::ranges::all_of(local_devices_, [&](int64_t other) {
                          return other == device || can_go_on[other] || !waits_for(device, other);
                        });
      if (!free) continue;
      can_go_on[device] = true;
      changed = true;
    }
  }
  if (can_go_on[rank_] || board_->EndRead() != version) return std::nullopt;
  std::string message = "devices wait for each other: ";
  size_t told = 0;
  for (const int64_t device : local_devices_) {
    if (can_go_on[device]) continue;
    if (told++ == kMostNamed) {
      message += " ...";
      break;
    }
    message += (told == 1 ? "" : ", ") + WhereIs(device);
  }
  return MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0, std::move(message));
}

std::optional<Diagnostic> DeviceService::Trouble(double waited) {
  if (board_->failed()) return board_->why();
  if (waited < kPatience) return std::nullopt;
  if (auto deadlock = FindDeadlock(waited)) return deadlock;
  if (timeout_ <= 0 || waited < timeout_) return std::nullopt;
  const Board::Row row = RowOf(rank_);
  std::string message = WhereIs(rank_) + " waits for " + Seconds(waited) + "; missing: ";
  size_t told = 0;
  for (const int64_t device : local_devices_) {
    const bool missing =
        row.op != 0 && row.state == DeviceState::kWaiting
            ? std::ranges::count(GroupIn(ops_[row.op - 1]->op, rank_), device) > 0 &&
                  MustArrive(device, row.op - 1, row.rendezvous)
            : device != rank_;
    if (!missing || told++ >= kMostNamed) continue;
    message += (told == 1 ? "" : ", ") + WhereIs(device);
  }
  // All devices arrived, but one does not finish the work it took.
  for (const int64_t device : local_devices_) {
    if (told != 0 || !IsBusy(device, row)) continue;
    message += "the work claimed by " + WhereIs(device);
    ++told;
  }
  if (told == 0) message += "a device of another machine";
  Diagnostic late = MakeBinaryDiagnostic(diag::kCollectiveMismatch, 0, std::move(message));
  late.help =
      "increase the timeout, or check what the named devices do before they reach the collective";
  return late;
}

}  // namespace halo

// Takes a device's arrays to a rendezvous, does its part of the work, and leaves again.
#include "halo/devices/transport/shared_transfer.h"

#include <algorithm>
#include <cstring>

namespace halo {
namespace {

constexpr int kPatience = 32;  // yields

}  // namespace

SharedTransfer::SharedTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work,
                               SharedGroup& group, const NodeMemory& memory, Staging& staging)
    : Transfer(number),
      collective_(op),
      work_(work),
      group_(group),
      memory_(memory),
      staging_(staging) {}

SharedTransfer::~SharedTransfer() { GiveBack(); }

void SharedTransfer::GiveBack() {
  for (const Staged& staged : staged_) staging_.Give(staged.memory);
  staged_.clear();
}

std::optional<SharedLocation> SharedTransfer::LocationOf(const void* array, int64_t bytes,
                                                         bool is_result) {
  // No other member reads the arrays of a group of one.
  if (bytes == 0 || group_.devices.size() == 1) return SharedLocation();
  const SharedLocation location = memory_.Find(array, bytes);
  if (location.known()) return location;
  uint8_t* memory = staging_.Take(bytes);
  if (memory == nullptr) return std::nullopt;
  staged_.push_back({memory, is_result ? const_cast<void*>(array) : nullptr, bytes});
  if (!is_result) std::memcpy(memory, array, static_cast<size_t>(bytes));
  return memory_.Find(memory, bytes);
}

bool SharedTransfer::Board(std::span<const void* const> operands, std::span<void* const> results) {
  RendezvousSlot& slot = group_.rendezvous->slot(group_.next_rendezvous);
  if (slot.number.value.load(std::memory_order_acquire) != group_.next_rendezvous) return false;
  locations_.clear();
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto location = LocationOf(operands[i], collective_.operands[i].bytes(), false);
    if (!location) {
      GiveBack();
      return false;
    }
    locations_.push_back(*location);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const auto location = LocationOf(results[i], collective_.results[i].bytes(), true);
    if (!location) {
      GiveBack();
      return false;
    }
    locations_.push_back(*location);
  }
  own_operands_.assign(operands.begin(), operands.end());
  own_results_.assign(results.begin(), results.end());
  return true;
}

std::optional<uint32_t> SharedTransfer::Arrive() {
  number_ = group_.next_rendezvous++;
  at_ = &group_.rendezvous->slot(number_);
  std::ranges::copy(locations_, group_.rendezvous->locations(number_, group_.me).begin());
  uint32_t expected = 0;
  if (at_->op.compare_exchange_strong(expected, op() + 1)) {
    at_->first.store(static_cast<uint32_t>(group_.me) + 1, std::memory_order_release);
  } else if (expected != op() + 1) {
    return expected - 1;
  }
  group_.rendezvous->visits(group_.me).store(number_ + 1, std::memory_order_release);
  const uint32_t members = static_cast<uint32_t>(group_.devices.size());
  if (at_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    // If there is only one piece, the last rank does it, usually before another could wake up.
    if (WakesAll()) {
      SetAndWake(at_->phase, RendezvousSlot::kWorking);
    } else {
      at_->phase.value.store(RendezvousSlot::kWorking, std::memory_order_release);
    }
  }
  return std::nullopt;
}

int64_t SharedTransfer::other_device() const {
  uint32_t first = 0;
  while ((first = at_->first.load(std::memory_order_acquire)) == 0) YieldCore();
  return group_.devices[first - 1];
}

void SharedTransfer::FindArrays() {
  const size_t operands = collective_.operands.size();
  const size_t results = collective_.results.size();
  for (size_t m = 0; m < group_.devices.size(); ++m) {
    const bool alone = group_.devices.size() == 1;
    const std::span<const SharedLocation> locations = group_.rendezvous->locations(number_, m);
    const auto address = [&](size_t i) -> uint8_t* {
      return locations[i].known() ? memory_.Address(group_.processes[m], locations[i]) : nullptr;
    };
    for (size_t i = 0; i < operands; ++i) {
      arrays_.operands.push_back(alone ? static_cast<const uint8_t*>(own_operands_[i])
                                       : address(i));
    }
    for (size_t i = 0; i < results; ++i) {
      arrays_.results.push_back(alone ? static_cast<uint8_t*>(own_results_[i])
                                      : address(operands + i));
    }
  }
}

std::optional<uint32_t> SharedTransfer::TakeFrom(size_t member) {
  const auto members = static_cast<uint64_t>(group_.devices.size());
  const uint32_t begin = static_cast<uint32_t>(work_.pieces() * uint64_t{member} / members);
  const uint32_t end = static_cast<uint32_t>(work_.pieces() * (uint64_t{member} + 1) / members);
  std::atomic<uint32_t>& taken = group_.rendezvous->taken(number_, member);
  if (taken.load(std::memory_order_relaxed) >= end - begin) return std::nullopt;
  const uint32_t piece = begin + taken.fetch_add(1, std::memory_order_acq_rel);
  if (piece >= end) return std::nullopt;
  return piece;
}

std::optional<uint32_t> SharedTransfer::Take() {
  // If there are fewer pieces than members, any member may take any piece.
  const size_t members = group_.devices.size();
  const bool any = !work_.own_pieces() && (helps_ || work_.pieces() < members);
  while (emptied_ < (any ? members : 1)) {
    if (const auto piece = TakeFrom((group_.me + emptied_) % members)) return piece;
    ++emptied_;
  }
  return std::nullopt;
}

std::optional<Diagnostic> SharedTransfer::Work(int pieces) {
  if (arrays_.operands.empty() && arrays_.results.empty()) FindArrays();
  std::atomic<uint32_t>& busy = group_.rendezvous->busy(number_, group_.me);
  for (; pieces > 0; --pieces) {
    busy.store(1, std::memory_order_relaxed);
    const std::optional<uint32_t> piece = Take();
    if (!piece) {
      busy.store(0, std::memory_order_relaxed);
      return std::nullopt;
    }
    if (auto failed = work_.Run(*piece, arrays_)) return failed;
    busy.store(0, std::memory_order_relaxed);
    if (at_->done.fetch_add(1, std::memory_order_acq_rel) + 1 == work_.pieces()) {
      SetAndWake(at_->phase, RendezvousSlot::kDone);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The last member to leave prepares the slot for another rendezvous.
void SharedTransfer::Leave() {
  for (const Staged& staged : staged_) {
    if (staged.result == nullptr) continue;
    std::memcpy(staged.result, staged.memory, static_cast<size_t>(staged.bytes));
  }
  GiveBack();
  const uint32_t members = static_cast<uint32_t>(group_.devices.size());
  if (at_->left.fetch_add(1, std::memory_order_acq_rel) + 1 != members) return;
  at_->op.store(0, std::memory_order_relaxed);
  at_->first.store(0, std::memory_order_relaxed);
  at_->arrived.store(0, std::memory_order_relaxed);
  at_->left.store(0, std::memory_order_relaxed);
  for (size_t m = 0; m < members; ++m) {
    group_.rendezvous->taken(number_, m).store(0, std::memory_order_relaxed);
  }
  at_->done.store(0, std::memory_order_relaxed);
  at_->phase.value.store(RendezvousSlot::kGathering, std::memory_order_relaxed);
  SetAndWake(at_->number, number_ + Rendezvous::kSlots);
}

Result<bool> SharedTransfer::Advance(int pieces) {
  uint32_t phase = at_->phase.value.load(std::memory_order_acquire);
  if (phase == RendezvousSlot::kGathering) return false;
  if (phase == RendezvousSlot::kWorking) {
    if (auto failed = Work(pieces)) return *std::move(failed);
    phase = at_->phase.value.load(std::memory_order_acquire);
    if (phase != RendezvousSlot::kDone) return false;
  }
  Leave();
  return true;
}

void SharedTransfer::Sleep(double seconds) {
  const uint32_t phase = at_->phase.value.load(std::memory_order_acquire);
  if (phase == RendezvousSlot::kDone) return;
  const bool is_work_left =
      phase == RendezvousSlot::kWorking && !work_.own_pieces() && emptied_ < group_.devices.size();
  if (!is_work_left) return WaitWhile(at_->phase, phase, seconds);
  // Give the other members a chance to do their own shares first.
  YieldCore();
  if (++idle_ >= kPatience) helps_ = true;
}

}  // namespace halo

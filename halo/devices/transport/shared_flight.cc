// Takes a device's arrays to a rendezvous, does its part of the work, and leaves again.
#include "halo/devices/transport/shared_flight.h"

#include <algorithm>
#include <cstring>

namespace halo {
namespace {

constexpr int kPatience = 32;  // yields

}  // namespace

SharedFlight::SharedFlight(uint32_t number, const CollectiveOp& op, GroupWork& work,
                           SharedGroup& group, const NodeMemory& memory, Staging& staging)
    : Flight(number),
      collective_(op),
      work_(work),
      group_(group),
      memory_(memory),
      staging_(staging) {}

SharedFlight::~SharedFlight() { GiveBack(); }

void SharedFlight::GiveBack() {
  for (const Staged& staged : staged_) staging_.Give(staged.memory);
  staged_.clear();
}

std::optional<SharedPlace> SharedFlight::PlaceOf(const void* array, int64_t bytes, bool is_result) {
  // No other member reads the arrays of a group of one.
  if (bytes == 0 || group_.devices.size() == 1) return SharedPlace();
  const SharedPlace place = memory_.Find(array, bytes);
  if (place.known()) return place;
  uint8_t* memory = staging_.Take(bytes);
  if (memory == nullptr) return std::nullopt;
  staged_.push_back({memory, is_result ? const_cast<void*>(array) : nullptr, bytes});
  if (!is_result) std::memcpy(memory, array, static_cast<size_t>(bytes));
  return memory_.Find(memory, bytes);
}

bool SharedFlight::Board(std::span<const void* const> operands, std::span<void* const> results) {
  Meeting& meeting = group_.place->meeting(group_.next_meeting);
  if (meeting.number.value.load(std::memory_order_acquire) != group_.next_meeting) return false;
  places_.clear();
  for (size_t i = 0; i < operands.size(); ++i) {
    const auto place = PlaceOf(operands[i], collective_.operands[i].bytes(), false);
    if (!place) {
      GiveBack();
      return false;
    }
    places_.push_back(*place);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const auto place = PlaceOf(results[i], collective_.results[i].bytes(), true);
    if (!place) {
      GiveBack();
      return false;
    }
    places_.push_back(*place);
  }
  own_operands_.assign(operands.begin(), operands.end());
  own_results_.assign(results.begin(), results.end());
  return true;
}

std::optional<uint32_t> SharedFlight::Arrive() {
  number_ = group_.next_meeting++;
  at_ = &group_.place->meeting(number_);
  std::ranges::copy(places_, group_.place->places(number_, group_.me).begin());
  uint32_t nobody = 0;
  if (at_->op.compare_exchange_strong(nobody, op() + 1)) {
    at_->first.store(static_cast<uint32_t>(group_.me) + 1, std::memory_order_release);
  } else if (nobody != op() + 1) {
    return nobody - 1;
  }
  group_.place->visits(group_.me).store(number_ + 1, std::memory_order_release);
  const uint32_t members = static_cast<uint32_t>(group_.devices.size());
  if (at_->came.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    // If there is only one piece, the last rank does it, usually before another could wake up.
    if (work_.pieces() > 1) {
      SetAndWake(at_->phase, Meeting::kWorking);
    } else {
      at_->phase.value.store(Meeting::kWorking, std::memory_order_release);
    }
  }
  return std::nullopt;
}

int64_t SharedFlight::other_device() const {
  uint32_t first = 0;
  while ((first = at_->first.load(std::memory_order_acquire)) == 0) YieldCore();
  return group_.devices[first - 1];
}

void SharedFlight::FindArrays() {
  const size_t operands = collective_.operands.size();
  const size_t results = collective_.results.size();
  for (size_t m = 0; m < group_.devices.size(); ++m) {
    const bool alone = group_.devices.size() == 1;
    const std::span<const SharedPlace> places = group_.place->places(number_, m);
    const auto address = [&](size_t i) -> uint8_t* {
      return places[i].known() ? memory_.Address(group_.processes[m], places[i]) : nullptr;
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

std::optional<uint32_t> SharedFlight::TakeFrom(size_t member) {
  const auto members = static_cast<uint64_t>(group_.devices.size());
  const uint32_t begin = static_cast<uint32_t>(work_.pieces() * uint64_t{member} / members);
  const uint32_t end = static_cast<uint32_t>(work_.pieces() * (uint64_t{member} + 1) / members);
  std::atomic<uint32_t>& taken = group_.place->taken(number_, member);
  if (taken.load(std::memory_order_relaxed) >= end - begin) return std::nullopt;
  const uint32_t piece = begin + taken.fetch_add(1, std::memory_order_acq_rel);
  if (piece >= end) return std::nullopt;
  return piece;
}

std::optional<uint32_t> SharedFlight::Take() {
  // If there are fewer pieces than members, any member may take any piece.
  const size_t members = group_.devices.size();
  const bool any = !work_.own_pieces() && (helps_ || work_.pieces() < members);
  while (emptied_ < (any ? members : 1)) {
    if (const auto piece = TakeFrom((group_.me + emptied_) % members)) return piece;
    ++emptied_;
  }
  return std::nullopt;
}

std::optional<Diagnostic> SharedFlight::Work(int pieces) {
  if (arrays_.operands.empty() && arrays_.results.empty()) FindArrays();
  std::atomic<uint32_t>& busy = group_.place->busy(number_, group_.me);
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
      SetAndWake(at_->phase, Meeting::kDone);
      return std::nullopt;
    }
  }
  return std::nullopt;
}

// The last member to leave prepares the slot for another rendezvous.
void SharedFlight::Leave() {
  for (const Staged& staged : staged_) {
    if (staged.result == nullptr) continue;
    std::memcpy(staged.result, staged.memory, static_cast<size_t>(staged.bytes));
  }
  GiveBack();
  const uint32_t members = static_cast<uint32_t>(group_.devices.size());
  if (at_->left.fetch_add(1, std::memory_order_acq_rel) + 1 != members) return;
  at_->op.store(0, std::memory_order_relaxed);
  at_->first.store(0, std::memory_order_relaxed);
  at_->came.store(0, std::memory_order_relaxed);
  at_->left.store(0, std::memory_order_relaxed);
  for (size_t m = 0; m < members; ++m) {
    group_.place->taken(number_, m).store(0, std::memory_order_relaxed);
  }
  at_->done.store(0, std::memory_order_relaxed);
  at_->phase.value.store(Meeting::kGathering, std::memory_order_relaxed);
  SetAndWake(at_->number, number_ + MeetingPlace::kMeetings);
}

Result<bool> SharedFlight::Advance(int pieces) {
  uint32_t phase = at_->phase.value.load(std::memory_order_acquire);
  if (phase == Meeting::kGathering) return false;
  if (phase == Meeting::kWorking) {
    if (auto failed = Work(pieces)) return *std::move(failed);
    phase = at_->phase.value.load(std::memory_order_acquire);
    if (phase != Meeting::kDone) return false;
  }
  Leave();
  return true;
}

void SharedFlight::Sleep(double seconds) {
  const uint32_t phase = at_->phase.value.load(std::memory_order_acquire);
  if (phase == Meeting::kDone) return;
  const bool is_work_left =
      phase == Meeting::kWorking && !work_.own_pieces() && emptied_ < group_.devices.size();
  if (!is_work_left) return WaitWhile(at_->phase, phase, seconds);
  // Give the other members a chance to do their own shares first.
  YieldCore();
  if (++idle_ >= kPatience) helps_ = true;
}

}  // namespace halo

// Runs this member's job once all members of this machine have arrived.
#include "halo/devices/transport/host_transfer.h"

#include <algorithm>
#include <unistd.h>

#include "halo/devices/job/shared_wait.h"

namespace halo {
namespace {

constexpr int kYields = 5000;
constexpr int64_t kLongBytes = 128 << 10;

}  // namespace

HostTransfer::HostTransfer(uint32_t number, const CollectiveOp& op, GroupWork& work,
                           HostGroup& group, const NodeMemory& memory, Staging& staging)
    : SharedTransfer(number, op, work, group.local, memory, staging), hosts_(group) {}

void HostTransfer::FindAllArrays() {
  FindArrays();
  const size_t operands = collective_.operands.size();
  const size_t results = collective_.results.size();
  all_arrays_.operands.resize(hosts_.devices.size() * operands);
  all_arrays_.results.resize(hosts_.devices.size() * results);
  const std::vector<size_t>& local = hosts_.local_members();
  for (size_t m = 0; m < local.size(); ++m) {
    for (size_t i = 0; i < operands; ++i) {
      all_arrays_.operands[local[m] * operands + i] = arrays_.operands[m * operands + i];
    }
    for (size_t i = 0; i < results; ++i) {
      all_arrays_.results[local[m] * results + i] = arrays_.results[m * results + i];
    }
  }
}

std::optional<Diagnostic> HostTransfer::Work(int) {
  if (is_over_) return std::nullopt;
  if (job_ == nullptr) {
    FindAllArrays();
    job_ = MakeHostJob({collective_, work_, hosts_, all_arrays_, op(), number_});
    if (auto failed = job_->Begin()) return failed;
  }
  const Result<bool> done = job_->Advance();
  if (!done) return done.error();
  if (!*done) return std::nullopt;
  is_over_ = true;
  naps_ = 0;
  const auto members = static_cast<uint32_t>(hosts_.local_members().size());
  if (at_->done.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    SetAndWake(at_->phase, RendezvousSlot::kDone);
  }
  return std::nullopt;
}

void HostTransfer::Sleep(double seconds) {
  const uint32_t phase = at_->phase.value.load(std::memory_order_acquire);
  if (phase == RendezvousSlot::kDone) return;
  // The others need their cores for longer than a sleep and a wake take.
  if (is_over_ && work_.total_bytes() >= kLongBytes) return SleepWhile(at_->phase, phase, seconds);
  if (phase == RendezvousSlot::kGathering || is_over_) return WaitWhile(at_->phase, phase, seconds);
  // MPI receives messages only while it is being polled.
  if (++naps_ < kYields) return YieldCore();
  usleep(static_cast<useconds_t>(std::min(seconds, 1e-4) * 1e6));
}

}  // namespace halo

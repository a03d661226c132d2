// Futexes shared between processes.
#include "halo/devices/job/shared_wait.h"

#include <chrono>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace halo {
namespace {

// Long enough for a peer on the same core to get its turn, but short compared with a sleep and a
// wake.
constexpr int kYields = 50;

int64_t Futex(std::atomic<uint32_t>& word, int op, uint32_t value, const timespec* timeout) {
  static_assert(sizeof(word) == sizeof(uint32_t) && std::atomic<uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), op, value, timeout, nullptr, 0);
}

}  // namespace

void YieldCore() { sched_yield(); }

double MonotonicSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void SetAndWake(FutexWord& word, uint32_t value) {
  // Must be sequentially consistent with the sleeper's count and check, or the sleeper could miss
  // the wake-up.
  word.value.store(value, std::memory_order_seq_cst);
  if (word.sleepers.load(std::memory_order_seq_cst) != 0) {
    Futex(word.value, FUTEX_WAKE, INT_MAX, nullptr);
  }
}

void WaitWhile(FutexWord& word, uint32_t value, double seconds) {
  for (int i = 0; i < kYields; ++i) {
    if (word.value.load(std::memory_order_acquire) != value) return;
    YieldCore();
  }
  SleepWhile(word, value, seconds);
}

void SleepWhile(FutexWord& word, uint32_t value, double seconds) {
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(seconds);
  timeout.tv_nsec =
      static_cast<decltype(timeout.tv_nsec)>((seconds - static_cast<double>(timeout.tv_sec)) * 1e9);
  word.sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (word.value.load(std::memory_order_seq_cst) == value) {
    Futex(word.value, FUTEX_WAIT, value, &timeout);
  }
  word.sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace halo

// Waits on a futex word in memory shared by several processes. There are normally more processes
// than cores, so a waiter gives up its core: first by yielding, which is cheap to undo, then by
// sleeping in the kernel until woken.
#ifndef HALO_DEVICES_JOB_SHARED_WAIT_H_
#define HALO_DEVICES_JOB_SHARED_WAIT_H_

#include <atomic>
#include <cstdint>

namespace halo {

// A futex word. Zeroed memory is a valid word with value 0.
struct FutexWord {
  std::atomic<uint32_t> value;
  std::atomic<uint32_t> sleepers;
};

// Sets the word and wakes all sleepers.
void SetAndWake(FutexWord& word, uint32_t value);

// Returns once the word differs from `value`, or after about `seconds`, whichever comes first.
// Yields the core for a moment before it sleeps.
void WaitWhile(FutexWord& word, uint32_t value, double seconds);
// The same, but sleeps at once.
void SleepWhile(FutexWord& word, uint32_t value, double seconds);

// Yields the core to another process for a moment.
void YieldCore();

// Seconds on a monotonic clock.
double MonotonicSeconds();

}  // namespace halo

#endif  // HALO_DEVICES_JOB_SHARED_WAIT_H_

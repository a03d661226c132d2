// Waiting for a word in memory that processes share. More processes than cores is the normal case
// here, so whoever waits gives its core away: first by yielding, which costs nothing to undo, then
// by sleeping in the kernel until woken.
#ifndef HALO_DEVICES_JOB_SHARED_WAIT_H_
#define HALO_DEVICES_JOB_SHARED_WAIT_H_

#include <atomic>
#include <cstdint>

namespace halo {

// A word that some wait on. Zeroed memory is one with value 0.
struct SharedWord {
  std::atomic<uint32_t> value;
  std::atomic<uint32_t> sleepers;
};

// Sets the word and wakes whoever sleeps on it.
void SetAndWake(SharedWord& word, uint32_t value);

// Until the word is no longer `value`, or for about so many seconds if that is sooner.
void WaitWhile(SharedWord& word, uint32_t value, double seconds);

// Gives the core to someone else for a moment.
void YieldCore();

// Seconds of a clock that only goes forward.
double MonotonicSeconds();

}  // namespace halo

#endif  // HALO_DEVICES_JOB_SHARED_WAIT_H_

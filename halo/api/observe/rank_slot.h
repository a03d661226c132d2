// What one process reports about itself in a run with one process per device: where it is, since
// when, and how it ended. It is stored in memory that the process watching the run can read even
// after this process is gone.
#ifndef HALO_API_OBSERVE_RANK_SLOT_H_
#define HALO_API_OBSERVE_RANK_SLOT_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <time.h>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

enum class RankState : uint32_t {
  kAbsent,         // not started yet
  kJoining,        // waiting until all ranks have started
  kReading,        // reading the module and its inputs
  kCompiling,      // compiling, or waiting for the rank that does
  kComputing,      // running a step of the program
  kCommunicating,  // waiting for other ranks at a collective
  kCollecting,     // sending its results
  kDone,
  kFailed,  // `reason` says why
  kTold,    // was told to stop
};

// Written only by its rank. Text is read in full or detected as changing, never half.
struct alignas(64) RankSlot {
  std::atomic<int32_t> pid = 0;
  std::atomic<RankState> state = RankState::kAbsent;
  std::atomic<int64_t> since = 0;  // steady-clock nanoseconds when state and instruction were set
  std::atomic<int64_t> steps = 0;
  std::atomic<int32_t> signal = 0;  // that killed it, if it could still record that
  std::atomic<int32_t> exit_code = 0;
  std::atomic<bool> has_said = false;  // it has reported everything and may be killed
  std::atomic<uint32_t> code = diag::kCannotEvaluate.id();  // code of `reason`
  std::atomic<uint32_t> version = 0;                        // odd while text is being written
  // Another process may read a character while it is written, so each is atomic.
  template <size_t kSize>
  using SharedText = std::array<std::atomic<char>, kSize>;
  SharedText<120> instruction = {};
  SharedText<1024> reason = {};

  static int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  void Enter(RankState now) {
    since.store(Now(), std::memory_order_relaxed);
    state.store(now, std::memory_order_release);
  }
  void EnterStep(RankState now, std::string_view name, int64_t step) {
    Write(instruction, name);
    steps.store(step, std::memory_order_relaxed);
    Enter(now);
  }
  void FailWith(const Diagnostic& why) {
    code.store(why.code.id(), std::memory_order_relaxed);
    Write(reason, why.message);
    Enter(RankState::kFailed);
  }
  // For a signal handler. A rank that is done or has failed stays so.
  void EnterTold() {
    const RankState before = state.load();
    if (before != RankState::kDone && before != RankState::kFailed) Enter(RankState::kTold);
    has_said = true;
  }
  [[nodiscard]] std::string Instruction() const { return Read(instruction); }
  [[nodiscard]] std::string Reason() const { return Read(reason); }

 private:
  // A sequence lock: no character may become visible before the first increment or after the
  // second.
  template <size_t kSize>
  void Write(SharedText<kSize>& to, std::string_view text) {
    version.fetch_add(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    const size_t length = std::min(text.size(), kSize - 1);
    for (size_t i = 0; i < length; ++i) to[i].store(text[i], std::memory_order_relaxed);
    to[length].store('\0', std::memory_order_relaxed);
    version.fetch_add(1, std::memory_order_release);
  }
  // Empty if the writer died or was stopped in the middle of a write. One that only lost its
  // processor there, on a busy machine, gets time to go on.
  template <size_t kSize>
  [[nodiscard]] std::string Read(const SharedText<kSize>& from) const {
    for (int tries = 0; tries < 300; ++tries) {
      if (tries >= 100) {
        const timespec pause{.tv_sec = 0, .tv_nsec = 100'000};
        nanosleep(&pause, nullptr);
      }
      const uint32_t before = version.load(std::memory_order_acquire);
      std::string copy;
      for (size_t i = 0; i < kSize; ++i) {
        const char next = from[i].load(std::memory_order_relaxed);
        if (next == '\0') break;
        copy += next;
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && version.load(std::memory_order_relaxed) == before) return copy;
    }
    return {};
  }
};

}  // namespace halo

#endif  // HALO_API_OBSERVE_RANK_SLOT_H_

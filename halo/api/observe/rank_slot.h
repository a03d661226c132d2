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

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/context/eval_diagnostics.h"

namespace halo {

enum class RankState : uint32_t {
  kAbsent,         // not started yet
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
  std::array<char, 120> instruction = {};
  std::array<char, 1024> reason = {};

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
  [[nodiscard]] std::string Instruction() const { return Read(instruction); }
  [[nodiscard]] std::string Reason() const { return Read(reason); }

 private:
  template <size_t kSize>
  void Write(std::array<char, kSize>& to, std::string_view text) {
    version.fetch_add(1, std::memory_order_acq_rel);
    const size_t length = std::min(text.size(), kSize - 1);
    std::memcpy(to.data(), text.data(), length);
    to[length] = '\0';
    version.fetch_add(1, std::memory_order_acq_rel);
  }
  template <size_t kSize>
  [[nodiscard]] std::string Read(const std::array<char, kSize>& from) const {
    for (int tries = 0; tries < 1000; ++tries) {
      const uint32_t before = version.load(std::memory_order_acquire);
      std::array<char, kSize> copy = from;
      copy.back() = '\0';
      if (before % 2 == 0 && version.load(std::memory_order_acquire) == before) return copy.data();
    }
    // The writer died or was stopped in the middle of a write.
    std::array<char, kSize> copy = from;
    copy.back() = '\0';
    return copy.data();
  }
};

}  // namespace halo

#endif  // HALO_API_OBSERVE_RANK_SLOT_H_

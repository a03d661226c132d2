// What the processes of one machine know about each other while they run: the position of each,
// what it waits for, and whether one has failed. Stored in shared memory; no call blocks.
#ifndef HALO_DEVICES_JOB_BOARD_H_
#define HALO_DEVICES_JOB_BOARD_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// What a process is doing with respect to collectives. kTalking: in an exchange between all
// devices.
enum class DeviceState : uint32_t { kRunning, kWaiting, kTalking, kFinished };

class Board {
 public:
  static int64_t BytesFor(int64_t processes);
  // `memory` must be zeroed, and must be the same bytes in all processes.
  Board(uint8_t* memory, int64_t processes, int64_t self);

  void Publish(int64_t position) { own().position.store(position, std::memory_order_relaxed); }
  [[nodiscard]] int64_t position(int64_t process) const {
    return row(process).position.load(std::memory_order_relaxed);
  }

  // `op` is the op's number plus one, or 0 for none. `rendezvous` is how many ops of its group came
  // before.
  void SetState(DeviceState state, uint32_t op, uint32_t rendezvous);
  struct Row {
    DeviceState state{};
    uint32_t op = 0;
    uint32_t rendezvous = 0;
    uint32_t talks = 0;  // exchanges between all devices that it has entered
  };
  [[nodiscard]] Row StateOf(int64_t process) const;
  // The process id of a process; 0 as long as it is unknown.
  void SetPid(int32_t pid) { own().pid.store(pid, std::memory_order_release); }
  [[nodiscard]] int32_t PidOf(int64_t process) const {
    return row(process).pid.load(std::memory_order_acquire);
  }
  // Rows read between the two calls are the states of one moment if both return the same number.
  // EndRead also returns a number that no BeginRead returns if a row is being written.
  [[nodiscard]] uint64_t BeginRead() const;
  [[nodiscard]] uint64_t EndRead() const;

  // What failed: a device that says so itself, one that was killed or is out of reach, or one that
  // was stopped and so does not end by itself.
  enum class Kind : uint32_t { kSaid, kLost, kStopped };
  // Only the first failure is kept.
  void Fail(const Diagnostic& why, Kind kind = Kind::kSaid);
  // The same, with the number of a code that another machine sent.
  void FailAs(uint32_t code, const std::string& message, Kind kind);
  [[nodiscard]] bool failed() const { return failure().stage.load(std::memory_order_acquire) == 2; }
  [[nodiscard]] Diagnostic why() const;
  [[nodiscard]] bool has_lost() const { return failed() && failure().kind != Kind::kSaid; }
  [[nodiscard]] bool has_stopped() const { return failed() && failure().kind == Kind::kStopped; }

 private:
  struct alignas(64) Entry {
    std::atomic<int64_t> position;
    std::atomic<uint64_t> state;  // op << 32 | state
    std::atomic<uint32_t> rendezvous;
    std::atomic<uint32_t> talks;
    std::atomic<uint64_t> version;  // odd while the row is being written
    std::atomic<int32_t> pid;
  };
  struct alignas(64) Failure {
    std::atomic<uint32_t> stage;  // 0 none, 1 being written, 2 complete
    uint32_t code;
    Kind kind;
    uint32_t message_bytes;
    uint32_t help_bytes;
    char text[4096];
  };

  [[nodiscard]] Entry& row(int64_t process) const { return rows_[process]; }
  [[nodiscard]] Entry& own() const { return rows_[self_]; }
  [[nodiscard]] Failure& failure() const { return *failure_; }

  Failure* failure_;
  Entry* rows_;
  int64_t processes_;
  int64_t self_;
};

}  // namespace halo

#endif  // HALO_DEVICES_JOB_BOARD_H_

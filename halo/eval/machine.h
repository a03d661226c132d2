// One device that runs a module: a stack of active computations, each with the values it still
// needs. It runs until it is done, fails, or waits at a collective for the other devices. Nothing
// here recurses on the program's depth.
#ifndef HALO_EVAL_MACHINE_H_
#define HALO_EVAL_MACHINE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "halo/eval/collectives/collectives.h"
#include "halo/eval/context/custom_calls.h"
#include "halo/eval/context/op_context.h"
#include "halo/eval/evaluate.h"
#include "halo/eval/lanes/lane_program.h"
#include "halo/semantics/facts/execution_order.h"

namespace halo {

// State shared by all devices of one evaluation.
struct EvalState {
  EvalState(const Module& evaluated, const EvalOptions& how);

  const ExecutionOrder& OrderOf(CompId comp);
  LaneProgram* LanesOf(CompId comp);

  const Module& module;
  const EvalOptions& options;
  const CustomCallRegistry& custom_calls;
  DeviceGrid grid;
  std::shared_ptr<MemoryMeter> meter = std::make_shared<MemoryMeter>();
  std::unordered_map<uint32_t, Value> constants;     // by instruction
  std::unordered_map<uint64_t, uint64_t> rng_draws;  // (device, instruction) to number of draws
  int64_t steps = 0;
  int64_t work = 0;

 private:
  std::unordered_map<uint32_t, std::unique_ptr<ExecutionOrder>> plans_;
  std::unordered_map<uint32_t, std::optional<LaneProgram>> lanes_;
};

class Machine {
 public:
  enum class Status : uint8_t { kRunning, kWaiting, kDone, kFailed, kStopped };

  Machine(EvalState& state, int64_t device, int depth = 0)
      : state_(state), device_(device), depth_(depth) {}

  void Start(CompId comp, std::vector<Value> arguments);
  // Runs until it waits, ends or fails.
  void Run();

  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] int64_t device() const { return device_; }
  [[nodiscard]] int depth() const { return depth_; }
  [[nodiscard]] EvalState& state() const { return state_; }
  [[nodiscard]] const Diagnostic& error() const { return *error_; }
  Value TakeResult() { return std::move(result_); }

  // While waiting: the instruction it waits at, the context of that op, and how to resume.
  [[nodiscard]] InstId waiting_at() const;
  OpContext WaitingContext();
  void Resume(Value value);
  void Fail(Diagnostic error);

 private:
  enum class Phase : uint8_t { kPlain, kCondition, kBody };
  struct Frame {
    const ExecutionOrder* plan = nullptr;
    size_t next = 0;  // position in the plan's order
    std::vector<Value> values;
    std::vector<Value> arguments;
    std::vector<Value> operands;  // of the current instruction
    std::vector<Value> observed;  // the same, kept for the observer
    Value loop;                   // the state of a while between its computations
    Phase phase = Phase::kPlain;
  };

  void Step();
  void GatherOperands(Frame& frame);
  void Assign(Value value);
  void AssignStarted(const Inst& inst, Value value);
  void Return(Value value);
  void Push(CompId comp, std::vector<Value> arguments);
  void Control(const Inst& inst);
  void StartAsync(const Inst& inst);
  void StartLoop(const Inst& inst);
  void ContinueLoop(const Inst& inst, Value value);
  void Branch(const Inst& inst);
  void Compute(const Inst& inst);
  [[nodiscard]] OpContext ContextOf(Frame& frame);
  [[nodiscard]] bool Allowed(const ExecutionOrder::Entry& entry);

  EvalState& state_;
  const int64_t device_;
  const int depth_;
  Status status_ = Status::kRunning;
  std::vector<Frame> frames_;
  Value result_;
  std::optional<Diagnostic> error_;
};

}  // namespace halo

#endif  // HALO_EVAL_MACHINE_H_

// Runs an executable on this machine: its memory, its steps in order, its loops and branches.
#ifndef HALO_RUNTIME_EXECUTE_H_
#define HALO_RUNTIME_EXECUTE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "halo/base/containers/aligned_block.h"
#include "halo/eval/evaluate.h"
#include "halo/runtime/collective.h"
#include "halo/runtime/executable.h"
#include "halo/runtime/reference_step.h"
#include "halo/runtime/step_watch.h"

namespace halo {

// Time and number of runs of each step, by block.
struct StepTimes {
  std::vector<std::vector<double>> seconds;  // by block, by step; loops include their inner blocks
  std::vector<std::vector<int64_t>> runs;
};
// Replaces the time of each step that another run of the same executable took less time for.
void TakeFaster(const StepTimes& other, StepTimes& times);

class Execution {
 public:
  // All arguments must outlive the execution, as must everything `options` points to. An executable
  // with collectives needs a service; all devices of the run use theirs in the same way.
  Execution(const Module& module, const Executable& plan, const EvalOptions& options,
            CollectiveService* service = nullptr, StepWatch* watch = nullptr);

  // Binds the arguments to the executable's parameters. Returns a diagnostic if they do not match.
  // Arrays that are only read are used in place and must live as long as this binding.
  std::optional<Diagnostic> Bind(std::span<const Value> arguments);
  // Releases arguments that were copied. They cannot be bound again.
  void DropCopied(std::vector<Value>& arguments) const;
  // Runs the executable once. Returns nullopt on success or if it was stopped; see stopped().
  std::optional<Diagnostic> Run(StepTimes* times = nullptr);

  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] int64_t steps() const { return steps_; }
  // Row-major results are returned in place: the next Run overwrites them.
  [[nodiscard]] Value Result() const;

 private:
  struct Visit {
    uint32_t block = 0;
    size_t next = 0;
    double begin = 0;       // of the current step, when timed
    bool is_begun = false;  // the watch was notified
    uint8_t phase = 0;  // of a loop: 0 before its condition, 1 after it; of others: 1 once entered
  };

  [[nodiscard]] void* Address(const BufferRef& buffer) const {
    return base_[buffer.allocation] + buffer.offset;
  }
  std::optional<Diagnostic> PrepareDevices();
  [[nodiscard]] std::optional<Diagnostic> TakeMemory(size_t allocation);
  std::optional<Diagnostic> RunLeaf(uint32_t block, size_t step);
  // Runs a loop whose iterations are one call.
  std::optional<Diagnostic> RunWholeLoop(uint32_t block, size_t step);
  // Counts steps. Returns false if the run must end: stopped() or failed at the limit.
  [[nodiscard]] bool Count(int64_t steps);
  [[nodiscard]] static Diagnostic TooManySteps();
  std::optional<Diagnostic> StartCollective(const Step& step, std::span<void* const> buffers);
  std::optional<Diagnostic> Await(const Step& step);
  // Finds the block that a loop, conditional or call enters next. Returns false once the step is
  // done.
  bool Enter(const Step& step, Visit& visit, uint32_t* block) const;

  const Module& module_;
  const Executable& plan_;
  const EvalOptions& options_;
  // By allocation; null where a parameter is read in place. Shared with the results stored in it.
  std::vector<std::shared_ptr<const void>> memory_;
  std::vector<uint8_t*> base_;                              // by allocation
  std::vector<std::vector<std::vector<void*>>> addresses_;  // by block, by step
  AlignedBlock scratch_;
  ReferenceSteps reference_;
  CollectiveService* service_;
  StepWatch* watch_;
  std::vector<bool> is_shared_;  // by allocation: accessed by other devices
  bool is_prepared_ = false;
  uint32_t first_collective_ = 0;  // the service's number of our first collective
  std::vector<std::optional<CollectiveHandle>> under_way_;  // by collective
  size_t started_ = 0;                                      // started and not yet awaited
  bool stopped_ = false;
  int64_t steps_ = 0;
};

}  // namespace halo

#endif  // HALO_RUNTIME_EXECUTE_H_

// Carrying out a plan on this machine: its memory, its steps in order, its loops and branches.
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

// Time and visits of a plan's steps, in the order of its blocks.
struct StepTimes {
  std::vector<std::vector<double>> seconds;  // by block, by step; inner blocks included in loops
  std::vector<std::vector<int64_t>> runs;
};

class Execution {
 public:
  // All must outlive it; so must what `options` points to. A plan with collectives needs the
  // service, which all devices of the run use alike.
  Execution(const Module& module, const Executable& plan, const EvalOptions& options,
            CollectiveService* service = nullptr, StepWatch* watch = nullptr);

  // Makes the arguments the plan's parameters; the diagnostic if they do not fit it. Arrays that
  // are only read stay where they are, and must live as long as this binding.
  std::optional<Diagnostic> Bind(std::span<const Value> arguments);
  // Lets go of arguments that were copied; they cannot be bound again.
  void DropCopied(std::vector<Value>& arguments) const;
  // Runs the plan once. Nothing if all went well, or if it was stopped; see stopped().
  std::optional<Diagnostic> Run(StepTimes* times = nullptr);

  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] int64_t steps() const { return steps_; }
  // Results that lie row-major stay where they are: another Run overwrites them.
  [[nodiscard]] Value Result() const;

 private:
  struct Visit {
    uint32_t block = 0;
    size_t next = 0;
    double begin = 0;       // of the step under way, when timed
    bool is_begun = false;  // and told to the watch
    uint8_t phase = 0;  // of a loop: 0 before its condition, 1 after it; of others: 1 once entered
  };

  [[nodiscard]] void* Address(const BufferRef& buffer) const {
    return base_[buffer.allocation] + buffer.offset;
  }
  std::optional<Diagnostic> PrepareDevices();
  [[nodiscard]] std::optional<Diagnostic> TakeMemory(size_t allocation);
  std::optional<Diagnostic> RunLeaf(uint32_t block, size_t step);
  std::optional<Diagnostic> StartCollective(const Step& step, std::span<void* const> buffers);
  std::optional<Diagnostic> Await(const Step& step);
  // Where a loop, a conditional or a call goes next; false once it is done.
  bool Enter(const Step& step, Visit& visit, uint32_t* block) const;

  const Module& module_;
  const Executable& plan_;
  const EvalOptions& options_;
  // By allocation; none where a parameter is read in place. Shared with results that stand in it.
  std::vector<std::shared_ptr<const void>> memory_;
  std::vector<uint8_t*> base_;                              // by allocation
  std::vector<std::vector<std::vector<void*>>> addresses_;  // by block, by step
  AlignedBlock scratch_;
  ReferenceSteps reference_;
  CollectiveService* service_;
  StepWatch* watch_;
  std::vector<bool> is_shared_;  // by allocation: other devices read or write it
  bool is_prepared_ = false;
  uint32_t first_collective_ = 0;  // the service's number of the plan's first
  std::vector<std::optional<CollectiveHandle>> under_way_;  // by collective
  size_t started_ = 0;                                      // and not awaited yet
  bool stopped_ = false;
  int64_t steps_ = 0;
};

}  // namespace halo

#endif  // HALO_RUNTIME_EXECUTE_H_

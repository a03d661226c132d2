// Runs a step that no compiled code covers: applies the evaluator's definition of the op to copies
// of the arrays in memory. Correct for every op, and slow.
#ifndef HALO_RUNTIME_REFERENCE_STEP_H_
#define HALO_RUNTIME_REFERENCE_STEP_H_

#include <optional>
#include <span>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/eval/machine.h"
#include "halo/ir/module.h"

namespace halo {

class ReferenceSteps {
 public:
  ReferenceSteps(const Module& module, const EvalOptions& options) : state_(module, options) {}

  // `buffers`: array leaves of the operands, then of the result.
  std::optional<Diagnostic> Run(InstId inst, std::span<void* const> buffers);
  // Resets the count of random draws, so that the next run repeats the first.
  void Restart() { state_.rng_draws.clear(); }

 private:
  Result<Value> Compute(InstId inst, std::vector<Value> operands);

  EvalState state_;
};

}  // namespace halo

#endif  // HALO_RUNTIME_REFERENCE_STEP_H_

// Runs a module: takes each device's arguments, returns its results, and enforces the limits. Every
// device runs in this process, in lock step at collectives, so results never depend on timing. The
// module must have passed the verifier.
#ifndef HALO_EVAL_EVALUATE_H_
#define HALO_EVAL_EVALUATE_H_

#include <cstdint>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/context/eval_options.h"
#include "halo/eval/lanes/value.h"
#include "halo/ir/module.h"

namespace halo {

struct EvalOutput {
  std::vector<Value> results;  // one per device, replica-major; empty if the observer ended it
  int64_t steps = 0;
  int64_t work = 0;
  int64_t peak_bytes = 0;
};

// `arguments[d]` are the entry's parameters on device d.
Result<EvalOutput> Evaluate(const Module& module, std::vector<std::vector<Value>> arguments,
                            const EvalOptions& options = {});

}  // namespace halo

#endif  // HALO_EVAL_EVALUATE_H_

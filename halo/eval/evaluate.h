// Running a module: what each device is given, what it yields, and how far it may go. Every device
// of a module runs in this process, in lock step where collectives join them, so that results never
// depend on timing. The module must have passed the verifier.
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

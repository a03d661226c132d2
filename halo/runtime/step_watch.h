// Observes a running executable: for progress, timelines, and checks of the values that steps
// produce.
#ifndef HALO_RUNTIME_STEP_WATCH_H_
#define HALO_RUNTIME_STEP_WATCH_H_

#include <optional>
#include <span>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/runtime/executable.h"

namespace halo {

class StepWatch {
 public:
  virtual ~StepWatch() = default;

  // `buffers` are the step's buffers before it runs. Loops, branches and calls begin once and end
  // when they have finished; their inner steps are reported in between.
  virtual void OnBegin(const Step& step, std::span<void* const> buffers) = 0;
  // Returning a diagnostic ends the run.
  virtual std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) = 0;

 protected:
  StepWatch() = default;
  StepWatch(const StepWatch&) = default;
  StepWatch& operator=(const StepWatch&) = default;
};

}  // namespace halo

#endif  // HALO_RUNTIME_STEP_WATCH_H_

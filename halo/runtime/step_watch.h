// Whoever looks on while a plan runs: for progress, timelines, and checks of what steps made.
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

  // `buffers` are the step's, as it will find them. Loops, branches and calls begin once and end
  // when they are through; their inner steps are seen in between.
  virtual void OnBegin(const Step& step, std::span<void* const> buffers) = 0;
  // The diagnostic ends the run.
  virtual std::optional<Diagnostic> OnEnd(const Step& step, std::span<void* const> buffers) = 0;

 protected:
  StepWatch() = default;
  StepWatch(const StepWatch&) = default;
  StepWatch& operator=(const StepWatch&) = default;
};

}  // namespace halo

#endif  // HALO_RUNTIME_STEP_WATCH_H_

// Predicts how long each instruction of a module takes on a device, from its cost. The source of
// each figure is the best that is known: what XLA measured, a model, or the device's rates.
#ifndef HALO_COST_PREDICT_PREDICTOR_H_
#define HALO_COST_PREDICT_PREDICTOR_H_

#include <optional>

#include "halo/cost/count/module_cost.h"
#include "halo/cost/predict/autotune.h"
#include "halo/cost/predict/kernel_kind.h"
#include "halo/cost/predict/machine_curves.h"
#include "halo/cost/predict/model_constants.h"
#include "halo/cost/predict/op_time.h"
#include "halo/memory/backend/device_rates.h"

namespace halo {

struct PredictorOptions {
  std::optional<Backend> backend;
  DeviceRates rates;
  const AutotuneTable* autotune = nullptr;  // may be null; of the same kind of device
  const MachineCurves* curves = nullptr;    // may be null; measured on the device
};

// Remembers what it finds out about fusions, and is for one thread.
class Predictor {
 public:
  // `module` and `cost` must outlive this.
  Predictor(const Module& module, ModuleCost& cost, const PredictorOptions& options);

  // Of one execution; of instructions that run computations, nothing.
  [[nodiscard]] OpTime Of(InstId inst) const;
  // Of a product by the model, if its operands and its result had another element type.
  [[nodiscard]] OpTime InType(InstId inst, ElementType type) const;
  // Of one kernel in the place of two, the second of which is the only user of the first: what is
  // between them is neither written nor read. Neither may be a product.
  [[nodiscard]] OpTime Fused(InstId first, InstId second) const;

 private:
  [[nodiscard]] OpTime OfProduct(const Inst& inst, const Kernel& kernel, const Cost& cost) const;
  [[nodiscard]] OpTime OfProduct(const Cost& cost, KernelKind kind, Figure peak) const;
  [[nodiscard]] std::optional<OpTime> OnMachine(const Kernel& kernel, const Cost& cost) const;
  [[nodiscard]] OpTime OfKernel(const Kernel& kernel, const Cost& cost) const;
  [[nodiscard]] double MemorySeconds(const KindConstants& kind, const Traffic& traffic) const;
  [[nodiscard]] double Floor(const Cost& cost, double peak) const;

  const Module& module_;
  ModuleCost& cost_;
  mutable Kernels kernels_;
  PredictorOptions options_;
  const ModelConstants& constants_;
};

}  // namespace halo

#endif  // HALO_COST_PREDICT_PREDICTOR_H_

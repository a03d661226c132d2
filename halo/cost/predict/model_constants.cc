// GPU: fitted to the ops of one training step on A100-SXM4-40GB. TPU: fitted to the ops of one
// training step on v5p. No other device was used to fit anything; docs/time.md has the errors on
// those that were held out. CPU: not fitted.
#include "halo/cost/predict/model_constants.h"

namespace halo {
namespace {

constexpr ModelConstants GpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 2.0e-6, .memory_share = 0.85};
  constants.product_share = 0.7;
  constants.link_start = 20e-6;
  constants.link_share = 0.8;
  constants.network_start = 30e-6;
  constants.network_share = 0.9;
  constants.gap = 1e-6;
  constants.fitted = true;
  return constants;
}

constexpr ModelConstants TpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 0.5e-6, .memory_share = 0.8};
  constants.product_share = 0.9;
  constants.near_speed = 8;
  constants.link_start = 3e-6;
  constants.link_share = 0.8;
  constants.network_start = 50e-6;
  constants.network_share = 0.8;
  constants.fitted = true;
  return constants;
}

constexpr ModelConstants CpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 1e-6, .memory_share = 0.7};
  constants.product_share = 0.7;
  constants.link_start = 5e-6;
  constants.network_start = 50e-6;
  return constants;
}

constexpr ModelConstants kGpuConstants = GpuConstants();
constexpr ModelConstants kTpuConstants = TpuConstants();
constexpr ModelConstants kCpuConstants = CpuConstants();

}  // namespace

const ModelConstants& ConstantsOf(std::optional<Backend> backend) {
  if (backend == Backend::kTpu) return kTpuConstants;
  if (backend == Backend::kCpu) return kCpuConstants;
  return kGpuConstants;
}

}  // namespace halo

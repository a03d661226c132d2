// GPU: fitted to the ops of one training step on A100-SXM4-40GB. TPU: fitted to the ops of one
// training step on v5p. No other device was used to fit anything; docs/time.md has the errors on
// those that were held out. CPU: not fitted.
#include "halo/cost/predict/model_constants.h"

namespace halo {
namespace {

KindConstants& ConstantsFor(ModelConstants& constants, KernelKind kind) {
  return constants.kinds[static_cast<size_t>(kind)];
}

ModelConstants GpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 2.0e-6, .memory_share = 0.88};
  ConstantsFor(constants, KernelKind::kReduction) = {.start = 3.0e-6, .memory_share = 0.74};
  // The profile has small transposes only, which caches make faster than memory: large ones reach
  // at most what elementwise kernels do.
  ConstantsFor(constants, KernelKind::kTranspose) = {.start = 2.5e-6, .memory_share = 0.88};
  ConstantsFor(constants, KernelKind::kProduct) = {.start = 8.0e-6, .memory_share = 0.9};
  ConstantsFor(constants, KernelKind::kConvolution) = {.start = 8.0e-6, .memory_share = 0.9};
  constants.product_share = 0.9;
  constants.product_overlap = 0.8;
  // A core holds 2,048 threads, and one that loads and stores a single element takes 1.32 us, most
  // of it waiting for memory. Fitted to fusions that return several slices, the only ones of this
  // kind in the profile.
  constants.thread = 1.32e-6 / 2048;
  constants.link_start = 28e-6;
  constants.link_share = 1;  // device_rates.def has what collectives reach
  // Not fitted: what NCCL assumes for rings over NVLink with its protocol for large messages.
  constants.ring_base = 8.4e-6;
  constants.ring_hop = 3.4e-6;
  // Where the times of XLA's table of collectives leave those of short messages.
  constants.ring_least = 1 << 20;
  constants.network_start = 30e-6;
  constants.network_share = 0.9;
  constants.atomic = 10e-9;  // not fitted: depends on the data, bounds the range from above
  constants.gap = 1e-6;
  constants.fitted = true;
  return constants;
}

ModelConstants TpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 1.3e-6, .memory_share = 0.88};
  ConstantsFor(constants, KernelKind::kReduction) = {.start = 1.3e-6, .memory_share = 0.82};
  ConstantsFor(constants, KernelKind::kTranspose) = {.start = 2.5e-6, .memory_share = 0.96};
  ConstantsFor(constants, KernelKind::kCopy) = {.start = 1.3e-6, .memory_share = 0.46};
  ConstantsFor(constants, KernelKind::kUpdate) = {.start = 0, .memory_share = 0.26};
  ConstantsFor(constants, KernelKind::kGather) = {.start = 1.6e-6, .memory_share = 0.22};
  ConstantsFor(constants, KernelKind::kProduct) = {.start = 3.0e-6, .memory_share = 0.8};
  ConstantsFor(constants, KernelKind::kConvolution) = {.start = 3.0e-6, .memory_share = 0.8};
  constants.product_share = 0.88;
  constants.attention_share = 0.24;  // of causal flops: blocks on the diagonal are computed whole
  constants.near_speed = 8;
  constants.link_start = 3e-6;
  constants.link_share = 0.37;  // a group uses the links along its own axes only
  constants.network_start = 50e-6;
  constants.network_share = 0.8;
  constants.atomic = 10e-9;
  constants.fitted = true;
  return constants;
}

ModelConstants CpuConstants() {
  ModelConstants constants;
  for (KindConstants& kind : constants.kinds) kind = {.start = 1e-6, .memory_share = 0.7};
  constants.product_share = 0.7;
  constants.link_start = 5e-6;
  constants.network_start = 50e-6;
  constants.atomic = 2e-9;
  return constants;
}

}  // namespace

const ModelConstants& ConstantsOf(std::optional<Backend> backend) {
  static const ModelConstants kGpu = GpuConstants();
  static const ModelConstants kTpu = TpuConstants();
  static const ModelConstants kCpu = CpuConstants();
  if (backend == Backend::kTpu) return kTpu;
  if (backend == Backend::kCpu) return kCpu;
  return kGpu;
}

}  // namespace halo

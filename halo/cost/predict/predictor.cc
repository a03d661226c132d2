// All kernels are limited by arithmetic or by memory, whichever takes longer, after a start that
// does not depend on their size. Kinds differ in the share of the rates that they reach.
#include "halo/cost/predict/predictor.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "halo/cost/count/products.h"
#include "halo/cost/predict/collective_model.h"
#include "halo/cost/predict/gpu_threads.h"

namespace halo {
namespace {

// Ranges by confidence, as factors of the predicted time.
void SetRange(TimeConfidence confidence, OpTime& time) {
  time.confidence = confidence;
  double down = 0.9, up = 1.1;
  if (confidence == TimeConfidence::kMedium) std::tie(down, up) = std::pair(0.75, 1.35);
  if (confidence == TimeConfidence::kLow) std::tie(down, up) = std::pair(0.5, 2.5);
  if (confidence == TimeConfidence::kNone) std::tie(down, up) = std::pair(1.0, 100.0);
  time.low = std::max(time.floor, time.seconds * down);
  time.high = std::max(time.low, time.seconds * up);
}

}  // namespace

Predictor::Predictor(const Module& module, ModuleCost& cost, const PredictorOptions& options)
    : module_(module),
      cost_(cost),
      kernels_(module),
      options_(options),
      constants_(ConstantsOf(options.backend)) {}

double Predictor::MemorySeconds(const KindConstants& kind, const Traffic& traffic) const {
  const double bandwidth = options_.rates.bandwidth.value;
  const double main = traffic.main() / (bandwidth * kind.memory_share);
  const double near = traffic.near / (bandwidth * constants_.near_speed);
  return std::max(main, near);
}

double Predictor::Floor(const Cost& cost, double peak) const {
  const double memory = cost.traffic.main() / options_.rates.bandwidth.value;
  return std::max(memory, peak > 0 ? cost.work.product_flops / peak : 0);
}

OpTime Predictor::OfProduct(const Inst& inst, const Kernel& kernel, const Cost& cost) const {
  const std::optional<ProductSize> size = ProductOf(module_, module_.inst(kernel.hero));
  const Figure peak = ProductPeak(options_.rates, size ? size->type : cost.work.product_type,
                                  size && size->full_precision);
  if (options_.autotune != nullptr) {
    if (const auto measured = options_.autotune->Find(module_, inst)) {
      OpTime time;
      time.seconds = *measured;
      time.source = TimeSource::kAutotune;
      time.bound = TimeBound::kCompute;
      time.floor = std::min(Floor(cost, peak.value), time.seconds);
      SetRange(TimeConfidence::kHigh, time);
      return time;
    }
  }
  return OfProduct(cost, kernel.kind, peak);
}

OpTime Predictor::OfProduct(const Cost& cost, KernelKind kernel, Figure peak) const {
  const KindConstants& kind = constants_.kinds[static_cast<size_t>(kernel)];
  OpTime time;
  time.floor = Floor(cost, peak.value);
  const double compute =
      peak.value > 0 ? cost.work.product_flops / (peak.value * constants_.product_share) : 0;
  const double memory = MemorySeconds(kind, cost.traffic);
  time.seconds = kind.start + std::max(compute, memory) +
                 (1 - constants_.product_overlap) * std::min(compute, memory);
  time.source = TimeSource::kModel;
  time.bound = compute > memory ? TimeBound::kCompute : TimeBound::kMemory;
  if (kind.start > std::max(compute, memory)) time.bound = TimeBound::kLatency;
  SetRange(constants_.fitted ? TimeConfidence::kMedium : TimeConfidence::kLow, time);
  return time;
}

OpTime Predictor::InType(InstId id, ElementType type) const {
  const Kernel kernel = kernels_.Of(id);
  Cost cost = cost_.of(id);
  const int before = InfoOf(cost.work.product_type).bits, after = InfoOf(type).bits;
  if (kernel.kind != KernelKind::kProduct || !cost.known || before <= 0) return {};
  const double ratio = static_cast<double>(after) / before;
  cost.traffic.read *= ratio;
  cost.traffic.written *= ratio;
  cost.traffic.near *= ratio;
  cost.work.product_type = type;
  if (const std::optional<OpTime> time = OnMachine(kernel, cost)) return *time;
  const std::optional<ProductSize> size = ProductOf(module_, module_.inst(kernel.hero));
  return OfProduct(cost, kernel.kind,
                   ProductPeak(options_.rates, type, size && size->full_precision));
}

OpTime Predictor::Fused(InstId first, InstId second) const {
  const Kernel of_first = kernels_.Of(first), of_second = kernels_.Of(second);
  const Kernel kernel = of_first.kind < of_second.kind ? of_first : of_second;
  Cost cost = cost_.of(first);
  const double between = std::min(cost.traffic.written, cost_.of(second).traffic.read);
  cost.Add(cost_.of(second));
  cost.traffic.written -= between;
  cost.traffic.read -= between;
  if (const std::optional<OpTime> time = OnMachine(kernel, cost)) return *time;
  return OfKernel(kernel, cost);
}

OpTime Predictor::OfKernel(const Kernel& kernel, const Cost& cost) const {
  const KindConstants& kind = constants_.kinds[static_cast<size_t>(kernel.kind)];
  OpTime time;
  time.floor = Floor(cost, 0);
  double memory = MemorySeconds(kind, cost.traffic);
  if (constants_.thread > 0) memory /= ShareOfCores(module_, kernel, options_.rates.cores.value);
  time.seconds = kind.start + memory;
  time.source = constants_.fitted ? TimeSource::kModel : TimeSource::kRoofline;
  time.bound = kind.start > memory ? TimeBound::kLatency : TimeBound::kMemory;
  SetRange(constants_.fitted ? TimeConfidence::kMedium : TimeConfidence::kLow, time);
  switch (kernel.kind) {
    case KernelKind::kScatter: {
      // Between updates of different addresses and updates of one address, one after the other.
      const double worst = time.seconds + cost.work.flops * constants_.atomic;
      time.bound = TimeBound::kAtomics;
      time.low = time.seconds;
      time.high = worst;
      time.seconds = std::sqrt(time.low * time.high);
      time.confidence = TimeConfidence::kLow;
      break;
    }
    case KernelKind::kAttention: {
      const double peak = ProductPeak(options_.rates, cost.work.product_type, false).value;
      const double rate = peak * constants_.attention_share;
      const double compute = rate > 0 ? cost.work.product_flops / rate : 0;
      if (compute > memory) {
        time.seconds = kind.start + compute;
        time.bound = TimeBound::kCompute;
      } else {
        time.source = TimeSource::kRoofline;
      }
      SetRange(TimeConfidence::kLow, time);
      break;
    }
    case KernelKind::kLinearAlgebra:
    case KernelKind::kSort:
      time.source = TimeSource::kRoofline;
      SetRange(TimeConfidence::kLow, time);
      break;
    case KernelKind::kTransfer: time.bound = TimeBound::kHost; break;
    default: break;
  }
  if (!cost.known) {
    time.source = TimeSource::kUnknown;
    time.bound = TimeBound::kUnknown;
    time.floor = 0;  // it may touch only a part of what it is given
    SetRange(TimeConfidence::kNone, time);
  }
  return time;
}

std::optional<OpTime> Predictor::OnMachine(const Kernel& kernel, const Cost& cost) const {
  const bool is_kernel = kernel.kind != KernelKind::kNone && kernel.kind != KernelKind::kCollective;
  if (options_.curves == nullptr || !is_kernel || !cost.known) return std::nullopt;
  std::optional<OpTime> time = PredictOnMachine(module_, kernel, cost, *options_.curves);
  if (time) SetRange(TimeConfidence::kMedium, *time);
  return time;
}

OpTime Predictor::Of(InstId id) const {
  const Kernel kernel = kernels_.Of(id);
  const Cost& cost = cost_.of(id);
  if (const std::optional<OpTime> time = OnMachine(kernel, cost)) return *time;
  switch (kernel.kind) {
    case KernelKind::kNone: return {};
    case KernelKind::kCollective:
      return PredictCollective(cost_.wire(kernel.hero), options_.rates, constants_);
    case KernelKind::kProduct:
    case KernelKind::kConvolution:
      return cost.known ? OfProduct(module_.inst(id), kernel, cost) : OfKernel(kernel, cost);
    default: break;
  }
  OpTime time = OfKernel(kernel, cost);
  const double cores = options_.rates.cores.value;
  if (constants_.thread <= 0 || cores <= 0 || time.source != TimeSource::kModel) return time;
  const double start = constants_.kinds[static_cast<size_t>(kernel.kind)].start;
  const double seconds = start + ThreadsOfOneElement(module_, id) * constants_.thread / cores;
  if (seconds > time.seconds) {
    time.seconds = seconds;
    time.bound = TimeBound::kLatency;
    SetRange(time.confidence, time);
  }
  return time;
}

}  // namespace halo

// The constants of the models: what share of its rates a device reaches, and what a kernel costs
// beside them. One set per backend; model_constants.cc states what each was fitted to.
#ifndef HALO_COST_PREDICT_MODEL_CONSTANTS_H_
#define HALO_COST_PREDICT_MODEL_CONSTANTS_H_

#include <array>
#include <optional>

#include "halo/cost/predict/kernel_kind.h"
#include "halo/memory/backend/backend.h"

namespace halo {

// seconds = start + bytes / (memory_share * bandwidth); products also take their arithmetic.
struct KindConstants {
  double start = 0;         // seconds, whatever the size
  double memory_share = 1;  // of the bandwidth of main memory
};

struct ModelConstants {
  std::array<KindConstants, kKernelKinds> kinds;
  double product_share = 1;    // of the peak, for a large product
  double product_overlap = 1;  // how much of the shorter of arithmetic and memory is hidden
  double attention_share = 1;  // of the peak, for attention kernels
  double near_speed = 1;       // bandwidth of memory on the chip, in bandwidths of main memory
  double link_start = 0;       // seconds of a collective, whatever the size
  double link_share = 1;       // of the links' bandwidth
  double network_start = 0;    // the same between nodes
  double network_share = 1;
  double atomic = 0;    // seconds of an update that waits for all others of its address
  double gap = 0;       // seconds between two kernels
  bool fitted = false;  // to measurements of this backend
};

const ModelConstants& ConstantsOf(std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_COST_PREDICT_MODEL_CONSTANTS_H_

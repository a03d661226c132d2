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
  // Seconds of one core for each thread that moves one element; 0 if threads do not limit kernels.
  double thread = 0;
  double near_speed = 1;  // bandwidth of memory on the chip, in bandwidths of main memory
  double link_start = 0;  // seconds of a collective, whatever the size
  double link_share = 1;  // of the links' bandwidth
  // Seconds of each further operand of a combined collective, at least: they run one after the
  // other. A base, and one hop for each step around the ring of a group.
  double ring_base = 0;
  double ring_hop = 0;
  double ring_least = 0;     // bytes of a collective whose operands run together, at most
  double network_start = 0;  // seconds of a collective between nodes
  double network_share = 1;
  double atomic = 0;    // seconds of an update that waits for all others of its address
  double gap = 0;       // seconds between two kernels
  bool fitted = false;  // to measurements of this backend
};

const ModelConstants& ConstantsOf(std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_COST_PREDICT_MODEL_CONSTANTS_H_

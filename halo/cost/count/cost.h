// What an instruction costs, counted without any device: arithmetic, bytes in each kind of memory,
// bytes sent to other devices. All figures are for one execution; how long it takes is decided in
// halo/cost/predict.
#ifndef HALO_COST_COUNT_COST_H_
#define HALO_COST_COUNT_COST_H_

#include <cstdint>

#include "halo/ir/types/element_type.h"

namespace halo {

// Arithmetic by XLA's conventions: a multiplication and an addition are two flops.
struct Work {
  double flops = 0;            // everything but transcendentals
  double product_flops = 0;    // of these, in products and convolutions
  double transcendentals = 0;  // exp, log, tanh, ... one each
  // The element type of most product_flops; kToken if there are none.
  ElementType product_type = ElementType::kToken;

  void Add(const Work& other, double times = 1);
};

// Bytes that an instruction moves, each counted once. Tiles are moved as a whole, padding included.
struct Traffic {
  double read = 0, written = 0;  // main memory
  double near = 0;               // memory on the chip, such as VMEM, both directions
  double host = 0;               // memory of the host, both directions

  [[nodiscard]] double main() const { return read + written; }
  void Add(const Traffic& other, double times = 1);
};

struct Cost {
  Work work;
  Traffic traffic;
  double sent = 0;    // bytes that this device sends to others
  bool known = true;  // false: a call whose work only its target knows

  void Add(const Cost& other, double times = 1);
};

}  // namespace halo

#endif  // HALO_COST_COUNT_COST_H_

// What a collective sends: the payload, who takes part, and the bytes that each device sends with
// the algorithm that libraries use for it. How fast links are is left to devices and models.
#ifndef HALO_COST_COUNT_WIRE_USE_H_
#define HALO_COST_COUNT_WIRE_USE_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "halo/ir/module.h"
#include "halo/ir/op_properties.h"

namespace halo {

// Devices that exchange data in one collective.
struct WireGroup {
  int64_t size = 1;    // devices in one group; for a permute, all that take part
  int64_t groups = 1;  // how many groups exchange data at the same time
  // Devices of the first group in order; for a permute, source and target alternate. At most a few
  // thousand are listed.
  std::vector<int64_t> devices;
  bool is_pairs = false;

  // How many nodes of `per_node` consecutive devices the group spans; for a permute, 1 unless a
  // pair crosses nodes.
  [[nodiscard]] int64_t Nodes(int64_t per_node) const;
};

struct WireUse {
  CollectiveFamily family = CollectiveFamily::kNone;
  double payload = 0;  // bytes of the larger side: the whole array that is gathered or scattered
  double sent = 0;     // bytes that each device sends
  // How the payload divides among the operands of a combined collective; empty if it has one only.
  std::vector<double> shares;
  const WireGroup* group = nullptr;  // owned by the counter
};

class WireCounter {
 public:
  explicit WireCounter(const Module& module);

  // family kNone if the instruction sends nothing: not a collective, or the second half of one.
  [[nodiscard]] WireUse Of(const Inst& inst);

  // Bytes each of `size` devices sends.
  static double SentBytes(CollectiveFamily family, double payload, int64_t size);

 private:
  const WireGroup& GroupOf(const Inst& inst);

  const Module& module_;
  int64_t devices_ = 1;
  std::unordered_map<uint64_t, WireGroup> groups_;  // by attribute
};

}  // namespace halo

#endif  // HALO_COST_COUNT_WIRE_USE_H_

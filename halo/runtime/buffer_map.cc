// The assignment's values use the same numbering as the dataflow, so no name lookup is needed.
#include "halo/runtime/buffer_map.h"

namespace halo {

BufferMap::BufferMap(const Dataflow& flow, const Assignment& assignment) {
  std::vector<Location> of_value(flow.size());
  for (const AssignedValue& value : assignment.values) {
    if (!value.allocation.valid() || value.id < 0) continue;
    const auto id = static_cast<size_t>(value.id);
    if (id >= of_value.size()) continue;
    of_value[id] = {static_cast<int32_t>(value.allocation.value), value.offset, value.size};
  }
  const Module& module = flow.module();
  begins_.reserve(module.insts.size() + 1);
  begins_.push_back(0);
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const uint32_t nodes = flow.trees().count(module.insts[i].shape);
    for (uint32_t node = 0; node < nodes; ++node) {
      const FlowId value = flow.at(InstId(i), node);
      locations_.push_back(value.valid() ? of_value[value.index()] : Location());
    }
    begins_.push_back(static_cast<uint32_t>(locations_.size()));
  }
}

}  // namespace halo

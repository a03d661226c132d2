// Maps every array of a planned program to its memory: the allocation, offset and size for each
// instruction and each node of its shape. Values forwarded through tuples, bitcasts, loops and
// branches map to the location of the value they forward.
#ifndef HALO_RUNTIME_BUFFER_MAP_H_
#define HALO_RUNTIME_BUFFER_MAP_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct Location {
  int32_t allocation = -1;  // index into Assignment::allocations
  int64_t offset = 0;
  int64_t size = 0;
  [[nodiscard]] bool known() const { return allocation >= 0; }
  friend bool operator==(const Location&, const Location&) = default;
};

class BufferMap {
 public:
  // `assignment` must belong to the module of `flow`. `flow` need not outlive the map.
  BufferMap(const Dataflow& flow, const Assignment& assignment);

  // Unknown for values that have no memory in the program: those inside fusions, tokens and
  // unreachable ones. Nodes are numbered as in ShapeTrees; 0 is the whole result.
  [[nodiscard]] const Location& At(InstId inst, uint32_t node = 0) const {
    return locations_[begins_[inst.index()] + node];
  }
  // Number of shape nodes in the instruction's result.
  [[nodiscard]] uint32_t NodeCount(InstId inst) const {
    return begins_[inst.index() + 1] - begins_[inst.index()];
  }

 private:
  std::vector<uint32_t> begins_;
  std::vector<Location> locations_;
};

}  // namespace halo

#endif  // HALO_RUNTIME_BUFFER_MAP_H_

// Where every array of a planned program lies: for each instruction and node of its shape the
// allocation, the offset in it and the size. Values that flow through tuples, bitcasts, loops and
// branches lie where the value does that they pass on.
#ifndef HALO_RUNTIME_BUFFER_MAP_H_
#define HALO_RUNTIME_BUFFER_MAP_H_

#include <cstdint>
#include <vector>

#include "halo/analysis/dataflow/dataflow.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct Location {
  int32_t allocation = -1;  // a row of Assignment::allocations
  int64_t offset = 0;
  int64_t size = 0;
  [[nodiscard]] bool known() const { return allocation >= 0; }
  friend bool operator==(const Location&, const Location&) = default;
};

class BufferMap {
 public:
  // `assignment` is that of the module of `flow`, which need not outlive the map.
  BufferMap(const Dataflow& flow, const Assignment& assignment);

  // Unknown for what has no memory of the program's: the inside of fusions, tokens, what nobody
  // reaches. Nodes count as in ShapeTrees: 0 is the whole result.
  [[nodiscard]] const Location& At(InstId inst, uint32_t node = 0) const {
    return locations_[begins_[inst.index()] + node];
  }
  // How many nodes the instruction's result has.
  [[nodiscard]] uint32_t NodeCount(InstId inst) const {
    return begins_[inst.index() + 1] - begins_[inst.index()];
  }

 private:
  std::vector<uint32_t> begins_;
  std::vector<Location> locations_;
};

}  // namespace halo

#endif  // HALO_RUNTIME_BUFFER_MAP_H_

// The dimensions of every value of a module as nodes of a DimSpace: for an instruction, those of
// all arrays in its result, in tuple order.
#ifndef HALO_SHRINK_DIMS_DIM_TABLE_H_
#define HALO_SHRINK_DIMS_DIM_TABLE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "halo/ir/module.h"
#include "halo/shrink/dims/dim_space.h"
#include "halo/shrink/dims/element_offsets.h"

namespace halo {

class DimTable {
 public:
  // Every dimension gets a separate node.
  DimTable(const Module& module, DimSpace& space);

  // False if shapes have more dimensions than any real program has. In that case, call nothing
  // else.
  [[nodiscard]] bool ok() const { return ok_; }

  [[nodiscard]] std::span<const DimId> of(InstId inst) const {
    return {nodes_.data() + begins_[inst.index()], nodes_.data() + begins_[inst.index() + 1]};
  }
  // The dimensions of one element of an instruction's tuple; nested elements are given by a path.
  [[nodiscard]] std::span<const DimId> element(InstId inst, int64_t number) const {
    return element(inst, std::span<const int64_t>(&number, 1));
  }
  [[nodiscard]] std::span<const DimId> element(InstId inst, std::span<const int64_t> path) const;

  [[nodiscard]] uint32_t count(ShapeId shape) const { return counts_[shape.index()]; }

 private:
  const Module& module_;
  std::vector<uint32_t> counts_;  // dimensions of each shape, over all leaves
  ElementOffsets offsets_;
  std::vector<size_t> begins_;
  std::vector<DimId> nodes_;
  bool ok_ = true;
};

}  // namespace halo

#endif  // HALO_SHRINK_DIMS_DIM_TABLE_H_

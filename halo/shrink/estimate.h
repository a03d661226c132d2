// Estimates roughly how many bytes a program needs at once. Values live from their instruction to
// their last use in text order; loops and calls also need what their bodies need. Built once,
// evaluated for any sizes.
#ifndef HALO_SHRINK_ESTIMATE_H_
#define HALO_SHRINK_ESTIMATE_H_

#include <cstdint>
#include <vector>

#include "halo/ir/module.h"
#include "halo/shrink/dims/dim_table.h"
#include "halo/shrink/dims/new_sizes.h"

namespace halo {

class Estimate {
 public:
  Estimate(const Module& module, const DimTable& dims);

  // The peak at any one time, on one device, given the bytes of each instruction's values.
  [[nodiscard]] int64_t PeakBytes(const std::vector<int64_t>& bytes) const;
  [[nodiscard]] int64_t PeakBytes(const NewSizes& sizes) const;
  // The bytes of all values of an instruction.
  [[nodiscard]] int64_t InstBytes(InstId inst, const NewSizes& sizes) const;

 private:
  [[nodiscard]] bool HoldsMemory(const Inst& inst) const;

  const Module& module_;
  const DimTable& dims_;
  std::vector<CompId> order_;                // callees first
  std::vector<uint32_t> last_use_;           // of each instruction, within its computation
  std::vector<std::vector<CompId>> called_;  // by each instruction that runs computations
};

}  // namespace halo

#endif  // HALO_SHRINK_ESTIMATE_H_

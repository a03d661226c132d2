// How many bytes a program needs at once, roughly: values live from their instruction to their last
// use in text order, loops and calls hold what their bodies need. Made once, evaluated for any
// sizes.
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

  // At one moment, on one device, if the instructions' values take so many.
  [[nodiscard]] int64_t PeakBytes(const std::vector<int64_t>& bytes) const;
  [[nodiscard]] int64_t PeakBytes(const NewSizes& sizes) const;
  // All values of an instruction.
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

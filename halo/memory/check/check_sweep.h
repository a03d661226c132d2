// Finds values that share bytes while both live: a line sweeps over time, and each allocation keeps
// the stretches of addresses in use, disjoint as long as all is well, so n values cost n log n.
// Values of one group may share; whether a value may take over the place of one that dies at that
// moment is asked of the facts.
#ifndef HALO_MEMORY_CHECK_CHECK_SWEEP_H_
#define HALO_MEMORY_CHECK_CHECK_SWEEP_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "halo/memory/model/assignment.h"

namespace halo::check {

struct Occupied {
  ValueId value;
  uint32_t group = 0;
  AllocationId allocation;
  int64_t begin = 0, end = 0;  // bytes; never empty
  LiveRange live;
};

struct SweepResult {
  size_t pairs = 0;         // judged
  bool counted_all = true;  // false: gave up after too many
};

// `touch(dying, born)` says whether the pair is fine; `clash` hears of each that is not.
SweepResult Sweep(std::vector<Occupied> items,
                  const std::function<bool(const Occupied&, const Occupied&)>& touch,
                  const std::function<void(const Occupied&, const Occupied&)>& clash);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_SWEEP_H_

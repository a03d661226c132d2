// Finds values that share bytes while both are live. A sweep goes over time, and each allocation
// keeps the address ranges in use, which are disjoint unless there is a clash, so n values cost n
// log n. Values of one group may share. The facts decide whether a value may take over the memory
// of one whose live range ends at that time.
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
  size_t pairs = 0;         // checked
  bool counted_all = true;  // false: gave up after too many
};

// `touch(dying, born)` returns whether the pair is sound; `clash` is called for each pair that is
// not.
SweepResult Sweep(std::vector<Occupied> items,
                  const std::function<bool(const Occupied&, const Occupied&)>& touch,
                  const std::function<void(const Occupied&, const Occupied&)>& clash);

}  // namespace halo::check

#endif  // HALO_MEMORY_CHECK_CHECK_SWEEP_H_

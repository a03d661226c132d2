// The heaps of an assignment as packing problems, and an assignment with its heaps packed again. A
// heap is the contents of one preallocated-temp allocation. Which values must stay together is
// taken from the caller if known, and otherwise derived conservatively from offsets and live
// ranges.
#ifndef HALO_MEMORY_REPACK_HEAP_OF_ASSIGNMENT_H_
#define HALO_MEMORY_REPACK_HEAP_OF_ASSIGNMENT_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "halo/memory/model/assignment.h"
#include "halo/memory/pack/pack.h"

namespace halo {

struct HeapOptions {
  int64_t alignment = 0;  // of offsets; 0: as the current offsets show
  // For each value of the assignment, a number shared by the values of one buffer. If empty, values
  // of equal size at one offset stay together if one is a phi. Either way, values that share bytes
  // at some time keep their relative offsets.
  std::span<const uint32_t> buffers = {};
};

struct AssignmentHeap {
  AllocationId allocation;
  PackProblem problem;
  std::vector<int64_t> offsets;             // current ones, one per item
  std::vector<std::vector<ValueId>> items;  // the values of each item
  int64_t height = 0;                       // current
  std::string_view unusable;                // why it cannot be packed; empty if it can
};

std::vector<AssignmentHeap> HeapsOf(const Assignment& assignment, const HeapOptions& options = {});

struct RepackedHeap {
  AllocationId allocation;
  size_t items = 0;
  int64_t alignment = 1;
  int64_t old_height = 0;
  int64_t new_height = 0;  // never more than before
  int64_t lower_bound = 0;
  int64_t xla_height = -1;  // XLA's rule on the same items; -1 if not tried
  std::string_view method;
  std::string_view unusable;
  [[nodiscard]] bool optimal() const { return unusable.empty() && new_height == lower_bound; }
};

struct RepackResult {
  Assignment assignment;
  std::vector<RepackedHeap> heaps;
};

// `pack.seconds` and `pack.steps` apply to each heap.
RepackResult RepackAssignment(const Assignment& assignment, const PackOptions& pack = {},
                              const HeapOptions& heap = {});

}  // namespace halo

#endif  // HALO_MEMORY_REPACK_HEAP_OF_ASSIGNMENT_H_

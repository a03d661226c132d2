// The rules that one dump was planned by, as plain settings: its backend's description, adjusted by
// what the dump shows of its XLA generation. Every setting can also be given by hand.
#ifndef HALO_MEMORY_BACKEND_BACKEND_RULES_H_
#define HALO_MEMORY_BACKEND_BACKEND_RULES_H_

#include <cstdint>

#include "halo/analysis/liveness/live_ranges.h"
#include "halo/analysis/sharing/sharing_rules.h"
#include "halo/ir/module.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/model/assignment.h"

namespace halo {

struct BackendRules {
  Backend backend = Backend::kCpu;
  int64_t alignment = 64;       // of offsets in the heap of main memory
  int64_t pointer_bytes = 8;    // per entry of a tuple's table
  int64_t table_rounding = 1;   // table sizes are multiples of this
  int64_t dimension_bytes = 4;  // added per dimension to an array with a dynamic dimension
  bool places_constants = true;
  // Temporaries of main memory may fill gaps in this memory space's temporaries; -1 for none.
  int32_t fills_gaps_of = -1;
  // An operand's allocation may be taken over through any position where it appears, not only
  // through the last one.
  bool shares_through_any_position = false;
  // Buffers of computations that each thread runs for itself get allocations in order of their ids,
  // not of their sizes.
  bool numbers_thread_locals_by_id = false;
  // Buffers are assigned, and heaps filled, in order of time.
  bool assigns_by_time = false;
  // Values that an all-gather reads or writes must not be in memory that leaves the program.
  bool gathers_stay_inside = false;
  SharingRules sharing = {};
  LiveRangeRules live_ranges = {};
};

BackendRules RulesOf(Backend backend);

// The alignment of offsets in the heap of a memory space.
int64_t AlignmentOf(const BackendRules& rules, int64_t color);

// The rules this dump was most likely made with: its backend's, adjusted by what the module shows
// of its generation.
BackendRules DetectRules(const Module& module, Backend backend);

// Adds what an assignment of the same dump shows.
void RefineRules(const Assignment& assignment, BackendRules& rules);

// Bytes that a value of this shape takes by itself: an array with its padding, or a tuple's table.
int64_t BufferBytes(const Module& module, ShapeId shape, const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_BACKEND_RULES_H_

// The rules that one dump was planned by, as plain settings: its backend's description, changed by
// what the dump shows of its generation of XLA. Every setting can also be given by hand.
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
  int64_t pointer_bytes = 8;    // of an entry of a tuple's table
  int64_t table_rounding = 1;   // tables take a multiple of it
  int64_t dimension_bytes = 4;  // that an array with a dynamic dimension adds for each dimension
  bool places_constants = true;
  // Temporaries of main memory may fill gaps in this space's temporaries; -1: in no space's.
  int32_t fills_gaps_of = -1;
  // An operand's allocation is taken over through any position where it appears, not only through
  // the last one.
  bool shares_through_any_position = false;
  // Buffers are assigned in order of time, and heaps filled so.
  bool assigns_by_time = false;
  // What an all-gather reads or fills must not be in memory that leaves the program.
  bool gathers_stay_inside = false;
  SharingRules sharing = {};
  LiveRangeRules live_ranges = {};
};

BackendRules RulesOf(Backend backend);

// Of offsets in the heap of a memory space.
int64_t AlignmentOf(const BackendRules& rules, int64_t color);

// The rules this dump was most likely made with: its backend's, and what the module shows of its
// generation.
BackendRules DetectRules(const Module& module, Backend backend);

// What an assignment of the same dump shows besides.
void RefineRules(const Assignment& assignment, BackendRules& rules);

// Bytes a value of this shape takes by itself: an array with its padding, a tuple its table.
int64_t BufferBytes(const Module& module, ShapeId shape, const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_BACKEND_RULES_H_

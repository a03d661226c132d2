// What an assignment depends on besides the module: the backend that makes it and the generation of
// XLA, as plain settings. Defaults follow from the dump; every one can be given by hand.
#ifndef HALO_MEMORY_BACKEND_BACKEND_RULES_H_
#define HALO_MEMORY_BACKEND_BACKEND_RULES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "halo/analysis/liveness/live_ranges.h"
#include "halo/analysis/sharing/backend.h"
#include "halo/ir/module.h"
#include "halo/memory/model/assignment.h"

namespace halo {

std::string_view BackendName(Backend backend);
std::optional<Backend> BackendFromName(std::string_view name);

struct BackendRules {
  Backend backend = Backend::kCpu;
  int64_t alignment = 64;      // of offsets in the heap of color 0
  int64_t pointer_bytes = 8;   // of an entry of a tuple's table
  int64_t table_rounding = 1;  // tables take a multiple of it
  bool places_constants = true;
  bool reuses_across_colors = false;  // color 0 may use gaps of color 1
  // An operand's room is taken over through any place it appears at; before 2026-08, only through
  // the last one.
  bool shares_through_any_place = false;
  // Buffers are looked at in order of time, and heaps filled so: TPU since 2026.
  bool assigns_by_time = false;
  LiveRangeRules live_ranges;
};

BackendRules RulesOf(Backend backend);

// Of offsets in the heap of a color.
int64_t AlignmentOf(const BackendRules& rules, int64_t color);

// The rules this dump was most likely made with: its backend's, and what in the text tells its
// generation.
BackendRules DetectRules(const Module& module, Backend backend);

// What an assignment of the same dump tells besides: its alignment, and how tables are rounded.
void RefineRules(const Assignment& assignment, BackendRules& rules);

// Bytes a value of this shape takes by itself: an array with its padding, a tuple its table.
int64_t BufferBytes(const Module& module, ShapeId shape, const BackendRules& rules);

}  // namespace halo

#endif  // HALO_MEMORY_BACKEND_BACKEND_RULES_H_

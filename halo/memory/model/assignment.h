// The contents of a buffer assignment in one value: allocations, the values placed in them, where
// each value appears and is used, and when it is live. Readers of every text generation and of the
// proto fill it, the assigner produces it, and the checker, the packer and the explanation start
// from it. It is self-contained: instructions are names, so an assignment works as well without its
// module.
#ifndef HALO_MEMORY_MODEL_ASSIGNMENT_H_
#define HALO_MEMORY_MODEL_ASSIGNMENT_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/containers/span_pool.h"
#include "halo/base/ids.h"
#include "halo/memory/model/assignment_style.h"

namespace halo {

using AllocationId = Id<struct AllocationTag>;
using ValueId = Id<struct AssignedValueTag>;  // a row of Assignment::values, not XLA's number
using TextId = Id<struct AssignmentTextTag>;
using IndexId = Id<struct AssignmentIndexTag>;  // a shape index {1,0} as a list of steps

// Both ends are inclusive; times are positions in the flattened schedule.
struct LiveRange {
  int64_t start = -1;
  int64_t end = -1;
  [[nodiscard]] bool known() const { return start >= 0; }
  friend bool operator==(const LiveRange&, const LiveRange&) = default;
};

struct ValuePosition {
  TextId instruction;
  IndexId index;
};

struct ValueUse {
  TextId instruction;
  int32_t operand = 0;
  IndexId index;
};

// One array, tuple table or token that an instruction defines at a shape index.
struct AssignedValue {
  int64_t id = -1;  // XLA's number; -1 if only a live range mentions it
  TextId instruction;
  IndexId index;
  TextId shape;             // with layout, as printed
  TextId from_instruction;  // the defining instruction's line; invalid if not printed
  AllocationId allocation;  // invalid if it has no allocation
  int64_t offset = 0;
  int64_t size = 0;
  LiveRange live;     // unknown for thread-local values and if not printed
  int32_t color = 0;  // -1: none given
  bool is_phi = false;
  bool shows_index = false;     // its instruction is tuple-shaped, so its index is printed
  bool is_cross_color = false;  // it fills a hole in an allocation of another color
  uint32_t first_position = 0, position_count = 0;
  uint32_t first_use = 0, use_count = 0;
};

struct Allocation {
  int64_t size = 0;
  int32_t color = 0;
  int32_t page = -1;       // -1: not printed
  TextId address;          // of XLA's own object, which old dumps print
  int32_t parameter = -1;  // an entry parameter's number, or -1
  IndexId parameter_index;
  TextId parameter_shape;
  TextId output_shape;  // of the entry's result, if this allocation is its top
  bool is_constant = false;
  bool is_thread_local = false;
  bool maybe_live_out = false;
  bool is_preallocated_temp = false;
  uint32_t first = 0, count = 0;  // its rows of Assignment::placed
};

// What XLA prints as live at the peak. It is wrong in old dumps, so it is kept but not relied on.
struct PeakEntry {
  TextId instruction;
  IndexId index;  // invalid if not printed
  int64_t bytes = 0;
  int64_t cumulative = 0;  // with all entries before it; 0 if not printed
};

struct PeakListing {
  int64_t time = -1;          // -1: no listing
  bool undetermined = false;  // the dump says that the peak cannot be determined
  std::vector<PeakEntry> entries;
  std::vector<TextId> stack_trace;  // a tree by source, as printed
};

// A line that no reader recognizes, kept for printing it back: in the file that begins with `file`,
// at this line, counted from 0.
struct KeptLine {
  AssignmentPiece file = AssignmentPiece::kAllocations;
  uint32_t line = 0;
  TextId text;
};

// "{1,0}"
std::string IndexText(std::span<const int64_t> steps);

class Assignment {
 public:
  std::vector<Allocation> allocations;
  std::vector<ValueId> placed;        // the values of each allocation, by XLA's number
  std::vector<AssignedValue> values;  // by XLA's number, those without one last
  std::vector<ValuePosition> positions;
  std::vector<ValueUse> uses;
  std::vector<TextId> sequence;  // the flattened schedule: what runs at each time
  std::vector<ValueId> ranged;   // order of the live-range listing; empty: as in `values`
  int64_t schedule_end = -1;     // "max N"; -1 if the dump has no live ranges
  int64_t total_bytes = 0;       // as printed
  bool has_total = true;         // false: read from a piece without the total
  PeakListing peak;
  AssignmentStyle style;
  std::vector<KeptLine> kept;

  TextId Text(std::string_view text) { return TextId(texts_.Intern({text.data(), text.size()})); }
  IndexId Index(std::span<const int64_t> steps) { return IndexId(indices_.Intern(steps)); }
  [[nodiscard]] std::string_view text(TextId id) const {
    if (!id.valid()) return {};
    const std::span<const char> chars = texts_[id.value];
    return {chars.data(), chars.size()};
  }
  [[nodiscard]] std::span<const int64_t> index(IndexId id) const {
    return id.valid() ? indices_[id.value] : std::span<const int64_t>{};
  }
  // The ids of texts and indices that are already interned; invalid for others.
  [[nodiscard]] TextId FindText(std::string_view text) const {
    return TextId(texts_.Find({text.data(), text.size()}));
  }
  [[nodiscard]] IndexId FindIndex(std::span<const int64_t> steps) const {
    return IndexId(indices_.Find(steps));
  }
  [[nodiscard]] const AssignedValue& value(ValueId id) const { return values[id.index()]; }
  [[nodiscard]] const Allocation& allocation(AllocationId id) const {
    return allocations[id.index()];
  }
  [[nodiscard]] std::span<const ValueId> values_of(const Allocation& allocation) const {
    return {placed.data() + allocation.first, allocation.count};
  }
  [[nodiscard]] std::span<const ValuePosition> positions_of(const AssignedValue& value) const {
    return {positions.data() + value.first_position, value.position_count};
  }
  [[nodiscard]] std::span<const ValueUse> uses_of(const AssignedValue& value) const {
    return {uses.data() + value.first_use, value.use_count};
  }
  [[nodiscard]] bool full() const { return texts_.full() || indices_.full(); }
  // The instruction with the index, printed or not: identifies a value in any dump.
  [[nodiscard]] std::string FullNameOf(const AssignedValue& value) const;
  // The instruction, with the index only where that is printed: "fusion.3{1}".
  [[nodiscard]] std::string NameOf(const AssignedValue& value) const;

 private:
  SpanPool<char> texts_;
  SpanPool<int64_t> indices_;
};

}  // namespace halo

#endif  // HALO_MEMORY_MODEL_ASSIGNMENT_H_

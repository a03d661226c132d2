// Why the memory that two programs need differs, to the byte: what is in memory at the second
// program's peak only, at the first one's only, what has another size, and what packing adds. The
// terms are gathered by cause; replay.h finds out whether a cause has the effect it is blamed for.
#ifndef HALO_DIFF_PEAK_PEAK_CHANGE_H_
#define HALO_DIFF_PEAK_PEAK_CHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/diff/peak/stored_values.h"
#include "halo/memory/explain/explain.h"

namespace halo {

enum class PeakCauseKind : uint8_t {
  kDonation,  // a result has memory besides the inputs, or no longer has
  kFusion,    // a value is in memory that the other program keeps inside a kernel
  kCopy,      // a copy of a value
  kRepeated,  // a value that is computed more or fewer times
  kLife,      // a value is live at the same moment in one program only
  kSharing,   // a value no longer takes over another's memory, or does now
  kSize,      // a value of another type, dimensions or padding
  kValues,    // a value that the other program does not have
  kMoment,    // the peak is at another moment
  kPacking,   // the heap's size beyond what is live at the peak
};
std::string_view TextOf(PeakCauseKind kind);

// Names of values; one is empty if only the other program has it at its peak.
struct PeakPlace {
  std::string before, after;
  std::string because;  // what takes the memory that it had in the other program
  int64_t bytes = 0;    // signed
  ValueId value_before, value_after;
};

struct PeakCause {
  PeakCauseKind kind = PeakCauseKind::kValues;
  std::string what;
  int64_t count = 0;
  int64_t bytes = 0;  // its part of the change
  // How much planning the first program with this change alone changes its memory; none if the
  // change cannot be replayed.
  std::optional<int64_t> replayed;
  std::vector<PeakPlace> places;   // the largest first
  std::vector<std::string> moved;  // instructions of the second program that run at another time
};

struct PeakSide {
  int64_t bytes = 0;       // of all allocations in main memory
  int64_t held_bytes = 0;  // of these, held from start to end
  int64_t heap_bytes = 0;  // of the others
  int64_t live_bytes = 0;  // of the heap, at the peak
  int64_t time = -1;
  std::string instruction, op_name;
  bool is_planned = false;  // by halo; false: XLA's own assignment
};

struct PeakChange {
  PeakSide before, after;
  // These four add up to after.bytes - before.bytes, and so do the bytes of all causes.
  int64_t only_after = 0, only_before = 0, resized = 0, packing = 0;
  std::vector<PeakCause> causes;
  [[nodiscard]] int64_t bytes() const { return after.bytes - before.bytes; }
};

// One program's memory; the explanation must be of the peak.
struct PeakInput {
  const BoundAssignment& bound;
  const MemoryExplanation& explanation;
  bool is_planned = false;
};

PeakChange ComparePeaks(StoredValues& before, const PeakInput& memory_before, StoredValues& after,
                        const PeakInput& memory_after);

// Causes that change memory as the whole changed come first, by how much of it they explain; what
// is not replayed counts half. Then those against it; last what no change of the program explains:
// another moment, packing.
void RankCauses(PeakChange& change);

}  // namespace halo

#endif  // HALO_DIFF_PEAK_PEAK_CHANGE_H_

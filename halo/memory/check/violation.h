// What the checker reports about an assignment: each violation with the values, the bytes and the
// time it concerns, the number of each kind, and what could and could not be checked.
#ifndef HALO_MEMORY_CHECK_VIOLATION_H_
#define HALO_MEMORY_CHECK_VIOLATION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/memory/model/assignment.h"

namespace halo {

enum class FindingKind : uint8_t {
#define HALO_FINDING(name, text, help) k##name,
#include "halo/memory/check/violations.def"
};

struct FindingKindInfo {
  std::string_view text;
  std::string_view help;  // what to do about it
};

const FindingKindInfo& InfoOf(FindingKind kind);
size_t FindingKindCount();
inline std::string_view TextOf(FindingKind kind) { return InfoOf(kind).text; }

struct Finding {
  FindingKind kind = FindingKind::kOverlap;
  ValueId first, second;  // invalid if the finding concerns fewer values
  AllocationId allocation;
  int64_t begin = 0, end = 0;  // range in the allocation; none if equal
  LiveRange time;              // unknown if time is irrelevant
  std::string explanation;     // one sentence
};

// What was checked, so that an empty list of findings can be interpreted.
struct CheckCoverage {
  bool module = false;        // a module was available
  bool live_ranges = false;   // the assignment has live ranges
  bool uses = false;          // the assignment has uses
  size_t values = 0;          // placed values
  size_t pairs = 0;           // pairs in the same bytes that were checked
  size_t unproven_pairs = 0;  // may be right, but the input does not prove it
  size_t unknown_values = 0;  // not found in the module
  std::vector<std::string> not_checked;
};

struct AssignmentFindings {
  std::vector<Finding> findings;  // the first ones, by kind and allocation
  std::array<size_t, 32> counts{};
  size_t total = 0;
  bool counted_all = true;  // false: stopped counting overlaps, there are more
  CheckCoverage coverage;

  [[nodiscard]] bool ok() const { return total == 0; }
  [[nodiscard]] size_t count(FindingKind kind) const { return counts[static_cast<size_t>(kind)]; }
};

}  // namespace halo

#endif  // HALO_MEMORY_CHECK_VIOLATION_H_

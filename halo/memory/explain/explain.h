// What `halo memory` reports about an assignment: how much memory of each kind there is, when usage
// peaks, what is live then and why. A plain value, displayed by the front ends. Suggesting
// improvements is left to advise.h.
#ifndef HALO_MEMORY_EXPLAIN_EXPLAIN_H_
#define HALO_MEMORY_EXPLAIN_EXPLAIN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/memory/backend/backend.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/model/assignment.h"
#include "haloscope/memory.h"

namespace halo {

class Origins;

// What an allocation is to XLA.
enum class MemoryKind : uint8_t { kParameter, kOutput, kTemp, kConstant, kThreadLocal };
inline constexpr size_t kMemoryKinds = 5;
std::string_view MemoryKindText(MemoryKind kind);
std::vector<std::string_view> MemoryKindTexts();
MemoryKind KindOf(const Allocation& allocation);

// What a value is to the author of the program, as far as names and uses tell.
enum class ValueRole : uint8_t {
  kWeights,
  kOptimizerState,
  kInput,
  kParameter,  // not known which of the above
  kOutput,
  kActivation,
  kRecomputed,  // an activation computed again for the backward pass
  kGathered,    // the result of an all-gather
  kGradient,
  kTemp,
  kConstant,
};
inline constexpr size_t kValueRoles = 11;
std::string_view ValueRoleText(ValueRole role);
std::vector<std::string_view> ValueRoleTexts();

struct MemorySpace {
  int32_t color = 0;
  std::string name;
  bool is_device = true;  // counts against the device's main memory
  int64_t bytes = 0;
  std::array<int64_t, kMemoryKinds> by_kind{};
};

// One item in memory at a time, or several similar ones: what users see, and what analyses need.
struct LiveEntry : v0::LiveValue {
  ValueId value;
  MemoryKind memory_kind = MemoryKind::kTemp;
  ValueRole value_role = ValueRole::kTemp;
  std::string needed_op_name, needed_source;  // of the last instruction that reads it
  bool lives_out = false;                     // the program returns it
};

using LiveGroup = v0::LiveGroup;

enum class GroupBy : uint8_t { kScope, kSource, kOpcode, kDtype, kShape, kRole };
std::optional<GroupBy> GroupByFromText(std::string_view text);
std::string_view GroupByText(GroupBy by);
std::vector<std::string_view> GroupByTexts();

// What the dump prints about its peak, beside the actual figures.
struct PrintedPeak {
  int64_t time = -1;
  int64_t listed_bytes = 0;
  int64_t live_bytes = 0;  // actually live at that time in the same memory
};

struct MemoryExplanation {
  int64_t total_bytes = 0;                      // of all allocations
  int64_t device_bytes = 0;                     // of these, in the device's main memory
  std::array<int64_t, kMemoryKinds> by_kind{};  // of device_bytes
  std::vector<MemorySpace> spaces;
  int64_t parameters = 0, donated = 0;  // how many
  int64_t donated_bytes = 0;

  bool has_times = false;  // live ranges are known; everything below needs them
  int64_t last_time = 0;
  std::vector<int64_t> profile;  // temporary bytes live at each time, in main memory
  int64_t held_bytes = 0;        // additional bytes held from start to end
  int64_t peak_time = 0;
  int64_t peak_bytes = 0;   // held and live together
  int64_t peak_live = 0;    // temporary bytes live at the peak
  int64_t temp_bytes = 0;   // of the temporary allocations
  int64_t table_bytes = 0;  // of these, tuple tables, which share their memory with nothing, and
                            // the padding that aligns the next item
  std::string peak_instruction, peak_op_name, peak_source;
  std::optional<PrintedPeak> printed;

  int64_t at = 0;  // the time that the lists below are about
  std::string at_instruction, at_op_name, at_source;
  int64_t at_bytes = 0;
  std::vector<LiveEntry> entries;  // one for each item in memory, largest first
  std::vector<LiveGroup> roles;
  GroupBy by = GroupBy::kScope;
  std::string by_reason;  // why not by scope; empty if as requested
  std::vector<LiveGroup> groups;
};

struct ExplainOptions {
  std::optional<int64_t> at;
  std::string around;         // use the time at which this instruction runs
  std::optional<GroupBy> by;  // none: by scope or, where scopes tell nothing, by what tells more
};

Result<MemoryExplanation> ExplainMemory(const BoundAssignment& bound, const Origins& origins,
                                        std::optional<Backend> backend,
                                        const ExplainOptions& options);

// Merges items that differ only in their number; largest first.
std::vector<LiveEntry> MergeAlike(const std::vector<LiveEntry>& items);

// Bytes of each role over time, for plotting: [role][time]. Empty without live ranges.
std::vector<std::vector<int64_t>> RoleProfile(const BoundAssignment& bound, const Origins& origins,
                                              std::optional<Backend> backend);

}  // namespace halo

#endif  // HALO_MEMORY_EXPLAIN_EXPLAIN_H_

// Totals, the profile and the peak.
#include "halo/memory/explain/explain.h"

#include <algorithm>
#include <map>

#include "halo/base/capped.h"
#include "halo/memory/backend/backend_description.h"
#include "halo/memory/backend/backend_rules.h"
#include "halo/memory/backend/memory_spaces.h"
#include "halo/memory/explain/choose_grouping.h"
#include "halo/memory/explain/live_entries.h"
#include "halo/memory/explain/memory_profile.h"
#include "halo/memory/explain/origins.h"
#include "halo/memory/explain/value_roles.h"
#include "halo/memory/explain/value_shape.h"
#include "halo/memory/model/memory_diagnostics.h"

namespace halo {
namespace {

// If these sums fit in 64 bits, so do the sums below.
bool SizesAddUp(const Assignment& assignment) {
  int64_t sum = 0;
  for (const Allocation& each : assignment.allocations) {
    if (each.size < 0 || __builtin_add_overflow(sum, each.size, &sum)) return false;
  }
  for (const AssignedValue& each : assignment.values) {
    if (each.size < 0 || each.offset < 0 || __builtin_add_overflow(sum, each.size, &sum)) {
      return false;
    }
  }
  return true;
}

// The bytes of an allocation that hold tuple tables, or the padding after one, and nothing else at
// any time.
int64_t TableBytes(const BoundAssignment& bound, const Allocation& allocation, int64_t alignment) {
  struct AtOffset {
    int64_t table_end = 0, array_end = 0;  // 0: there is none
  };
  const Assignment& assignment = bound.assignment();
  std::map<int64_t, AtOffset> starts;
  for (const ValueId id : assignment.values_of(allocation)) {
    const AssignedValue& value = assignment.value(id);
    AtOffset& start = starts[value.offset];
    int64_t& end = IsTupleValue(bound, id) ? start.table_end : start.array_end;
    end = std::max(end, AddCapped(value.offset, value.size));
  }
  int64_t bytes = 0, arrays_end = 0;
  for (auto at = starts.begin(); at != starts.end(); ++at) {
    arrays_end = std::max(arrays_end, at->second.array_end);
    if (at->second.table_end == 0) continue;
    const auto next = std::next(at);
    const int64_t limit = next == starts.end() ? allocation.size : next->first;
    const int64_t padding = (alignment - at->second.table_end % alignment) % alignment;
    const int64_t end = std::min(limit, AddCapped(at->second.table_end, padding));
    bytes += std::max<int64_t>(end - std::max(at->first, arrays_end), 0);
  }
  return bytes;
}

void AddTotals(const BoundAssignment& bound, std::optional<Backend> backend,
               MemoryExplanation& out) {
  const Assignment& assignment = bound.assignment();
  const BackendRules rules = RulesOf(backend.value_or(Backend::kCpu));
  std::map<int32_t, MemorySpace> spaces;
  for (const Allocation& each : assignment.allocations) {
    const auto kind = static_cast<size_t>(KindOf(each));
    MemorySpace& space = spaces[each.color];
    space.bytes += each.size;
    space.by_kind[kind] += each.size;
    out.total_bytes += each.size;
    if (each.parameter >= 0) {
      ++out.parameters;
      if (each.maybe_live_out) {
        ++out.donated;
        out.donated_bytes += each.size;
      }
    }
    if (!IsDeviceMemory(backend, each.color)) continue;
    out.device_bytes += each.size;
    out.by_kind[kind] += each.size;
    if (each.is_preallocated_temp) {
      out.temp_bytes += each.size;
      out.table_bytes += TableBytes(bound, each, AlignmentOf(rules, each.color));
    } else {
      out.held_bytes += each.size;
    }
  }
  for (auto& [color, space] : spaces) {
    space.color = color;
    space.is_device = IsDeviceMemory(backend, color);
    space.name = DescriptionOf(backend).SpaceName(color);
    out.spaces.push_back(std::move(space));
  }
}

void NameMoment(const Assignment& assignment, const Origins& origins, int64_t time,
                std::string& instruction, std::string& op_name, std::string& source) {
  if (time < 0 || static_cast<size_t>(time) >= assignment.sequence.size()) return;
  instruction = assignment.text(assignment.sequence[static_cast<size_t>(time)]);
  const Origin origin = origins.At(time);
  op_name = origin.op_name;
  source = SourceText(origin);
}

void AddPeak(const BoundAssignment& bound, const Origins& origins, MemoryExplanation& out) {
  const Assignment& assignment = bound.assignment();
  const auto peak = std::max_element(out.profile.begin(), out.profile.end());
  out.peak_time = peak - out.profile.begin();
  out.peak_live = *peak;
  out.peak_bytes = out.held_bytes + out.peak_live;
  NameMoment(assignment, origins, out.peak_time, out.peak_instruction, out.peak_op_name,
             out.peak_source);
  if (assignment.peak.time < 0 || assignment.peak.entries.empty()) return;
  PrintedPeak printed;
  printed.time = assignment.peak.time;
  for (const PeakEntry& entry : assignment.peak.entries) {
    if (__builtin_add_overflow(printed.listed_bytes, entry.bytes, &printed.listed_bytes)) return;
  }
  printed.live_bytes = LiveBytesAt(bound, printed.time, kMainSpace);
  out.printed = printed;
}

}  // namespace

namespace {
constexpr std::array<std::string_view, kMemoryKinds> kMemoryKindTexts = {
    "parameters", "outputs", "temp", "constants", "thread-local"};
}  // namespace

std::string_view MemoryKindText(MemoryKind kind) {
  return kMemoryKindTexts[static_cast<size_t>(kind)];
}

std::vector<std::string_view> MemoryKindTexts() {
  return {kMemoryKindTexts.begin(), kMemoryKindTexts.end()};
}

MemoryKind KindOf(const Allocation& allocation) {
  if (allocation.parameter >= 0) return MemoryKind::kParameter;
  if (allocation.is_constant) return MemoryKind::kConstant;
  if (allocation.is_thread_local) return MemoryKind::kThreadLocal;
  return allocation.maybe_live_out ? MemoryKind::kOutput : MemoryKind::kTemp;
}

Result<MemoryExplanation> ExplainMemory(const BoundAssignment& bound, const Origins& origins,
                                        std::optional<Backend> backend,
                                        const ExplainOptions& options) {
  const Assignment& assignment = bound.assignment();
  if (!SizesAddUp(assignment)) {
    return MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                "the sizes are negative or their sum does not fit in 64 bits");
  }
  MemoryExplanation out;
  AddTotals(bound, backend, out);
  out.has_times = assignment.schedule_end >= 0;
  out.last_time = LastTime(assignment);
  const MemorySlots slots(assignment);
  const auto counts = [&](const MemorySlot& slot, ValueId) {
    return IsDeviceMemory(backend, assignment.allocation(slot.allocation).color);
  };
  if (out.has_times) {
    out.profile = LiveBytes(assignment, slots, counts);
    AddPeak(bound, origins, out);
  }
  out.at = out.peak_time;
  if (!options.around.empty()) {
    out.at = bound.time(assignment.FindText(options.around));
    if (out.at < 0) {
      return MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                  "no instruction \"" + options.around + "\" in the schedule");
    }
  }
  if (options.at) {
    if (*options.at < 0 || *options.at > out.last_time) {
      return MakeBinaryDiagnostic(diag::kCannotExplain, 0,
                                  "the schedule ends at position " + std::to_string(out.last_time) +
                                      "; there is no " + std::to_string(*options.at));
    }
    out.at = *options.at;
  }
  NameMoment(assignment, origins, out.at, out.at_instruction, out.at_op_name, out.at_source);
  if (out.has_times) {
    out.at_bytes = out.held_bytes + out.profile[static_cast<size_t>(out.at)];
  }
  const ValueRoles roles(bound, origins);
  out.entries = EntriesAt(bound, slots, roles, origins, backend, out.at);
  out.roles = GroupEntries(out.entries, GroupBy::kRole);
  if (options.by) {
    out.by = *options.by;
  } else {
    ChooseGrouping(out.entries, out.by, out.by_reason);
  }
  out.groups = GroupEntries(out.entries, out.by);
  return out;
}

std::vector<std::vector<int64_t>> RoleProfile(const BoundAssignment& bound, const Origins& origins,
                                              std::optional<Backend> backend) {
  const Assignment& assignment = bound.assignment();
  std::vector<std::vector<int64_t>> profile;
  if (assignment.schedule_end < 0 || !SizesAddUp(assignment)) return profile;
  const MemorySlots slots(assignment);
  const ValueRoles roles(bound, origins);
  std::vector<ValueRole> role_of;
  role_of.reserve(assignment.values.size());
  for (size_t i = 0; i < assignment.values.size(); ++i) role_of.push_back(roles.Of(ValueId(i)));
  std::array<int64_t, kValueRoles> held{};
  for (const Allocation& each : assignment.allocations) {
    if (each.is_preallocated_temp || each.count == 0 || !IsDeviceMemory(backend, each.color)) {
      continue;
    }
    held[static_cast<size_t>(role_of[assignment.values_of(each)[0].index()])] += each.size;
  }
  for (size_t role = 0; role < kValueRoles; ++role) {
    profile.push_back(LiveBytes(assignment, slots, [&](const MemorySlot& slot, ValueId value) {
      return IsDeviceMemory(backend, assignment.allocation(slot.allocation).color) &&
             role_of[value.index()] == static_cast<ValueRole>(role);
    }));
    for (int64_t& bytes : profile.back()) bytes += held[role];
  }
  return profile;
}

}  // namespace halo

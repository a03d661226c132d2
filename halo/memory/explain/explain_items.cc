// A reason is the last use: whoever reads a value last keeps it alive until then.
#include "halo/memory/explain/explain_items.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "halo/memory/backend/backend_description.h"

namespace halo {
namespace {

class ItemMaker {
 public:
  ItemMaker(const Assignment& assignment, const ValueRoles& roles, const Origins& origins)
      : assignment_(assignment), roles_(roles), origins_(origins) {
    for (size_t i = 0; i < assignment.sequence.size(); ++i) {
      times_.emplace(assignment.sequence[i].value, static_cast<int64_t>(i));
    }
  }

  [[nodiscard]] LiveItem Make(ValueId id, const Allocation& allocation, int64_t bytes) const {
    const AssignedValue& value = assignment_.value(id);
    const Origin origin = roles_.OriginOf(id);
    LiveItem item;
    item.value = id;
    item.name = assignment_.NameOf(value);
    item.shape = assignment_.text(value.shape);
    item.bytes = bytes;
    item.kind = KindOf(allocation);
    item.role = roles_.Of(id);
    item.opcode = origin.opcode;
    item.op_name = origin.op_name;
    item.scope = ScopeOf(origin.op_name);
    item.source = SourceText(origin);
    item.dtype = item.shape.starts_with('(') ? "tuple table"
                                             : item.shape.substr(0, item.shape.find_first_of("[{"));
    item.start = value.live.start;
    item.end = value.live.end;
    item.parameter = allocation.parameter;
    item.is_donated = roles_.is_donated(allocation);
    item.lives_out = allocation.maybe_live_out;
    item.logical_bytes = LogicalBytes(item.shape);
    AddReason(value, item);
    return item;
  }

 private:
  void AddReason(const AssignedValue& value, LiveItem& item) const {
    const ValueUse* last = nullptr;
    for (const ValueUse& use : assignment_.uses_of(value)) {
      const auto time = times_.find(use.instruction.value);
      if (time == times_.end() || time->second <= item.needed_at) continue;
      item.needed_at = time->second;
      last = &use;
    }
    if (last == nullptr) return;
    item.needed_by = assignment_.text(last->instruction);
    const Origin user = origins_.Of(item.needed_by);
    item.needed_op_name = user.op_name;
    item.needed_source = SourceText(user);
    const std::string_view operand = origins_.OperandName(user.inst, last->operand);
    const std::span<const int64_t> index = assignment_.index(last->index);
    // Reaching a tuple's element or a bitcast is no alias worth a word.
    if (!operand.empty() && operand != assignment_.text(value.instruction) && !index.empty()) {
      item.through = std::string(operand) + IndexText(index);
    }
  }

  const Assignment& assignment_;
  const ValueRoles& roles_;
  const Origins& origins_;
  std::unordered_map<uint32_t, int64_t> times_;  // of instructions' names
};

// The value an allocation that is always there is known by: its parameter, else the last in it.
ValueId Holder(const Assignment& assignment, const Origins& origins, const Allocation& allocation) {
  ValueId best;
  for (const ValueId id : assignment.values_of(allocation)) {
    const AssignedValue& value = assignment.value(id);
    if (allocation.parameter >= 0 &&
        origins.Of(assignment.text(value.instruction)).opcode == "parameter") {
      return id;
    }
    if (!best.valid() || value.live.end > assignment.value(best).live.end) best = id;
  }
  return best;
}

void SortItems(std::vector<LiveItem>& items) {
  std::sort(items.begin(), items.end(), [](const LiveItem& a, const LiveItem& b) {
    return std::tie(b.bytes, a.value) < std::tie(a.bytes, b.value);
  });
}

std::string_view KeyOf(const LiveItem& item, GroupBy by) {
  const auto said = [](std::string_view text) { return text.empty() ? "(not said)" : text; };
  switch (by) {
    case GroupBy::kScope: return said(item.scope);
    case GroupBy::kSource: return said(item.source);
    case GroupBy::kOpcode: return said(item.opcode);
    case GroupBy::kDtype: return said(item.dtype);
    case GroupBy::kRole: return ValueRoleText(item.role);
  }
  return {};
}

struct ByText {
  GroupBy by;
  std::string_view text;
};
constexpr std::array kBys = {ByText{GroupBy::kScope, "scope"}, ByText{GroupBy::kSource, "source"},
                             ByText{GroupBy::kOpcode, "opcode"}, ByText{GroupBy::kDtype, "dtype"},
                             ByText{GroupBy::kRole, "kind"}};

}  // namespace

std::optional<GroupBy> GroupByFromText(std::string_view text) {
  for (const ByText& each : kBys) {
    if (each.text == text) return each.by;
  }
  return std::nullopt;
}

std::string_view GroupByText(GroupBy by) {
  for (const ByText& each : kBys) {
    if (each.by == by) return each.text;
  }
  return {};
}

int64_t LogicalBytes(std::string_view shape) {
  const size_t open = shape.find('[');
  if (open == std::string_view::npos || shape.starts_with('(')) return 0;
  const auto type = ElementTypeFromText(shape.substr(0, open));
  if (!type || !IsArrayType(*type)) return 0;
  int64_t bits = InfoOf(*type).bits, dim = -1;
  for (const char c : shape.substr(open + 1)) {
    if (c >= '0' && c <= '9') {
      dim = std::max<int64_t>(dim, 0);
      if (__builtin_mul_overflow(dim, 10, &dim) || __builtin_add_overflow(dim, c - '0', &dim)) {
        return 0;
      }
    } else if (c == ',' || c == ']') {
      if (dim >= 0 && __builtin_mul_overflow(bits, dim, &bits)) return 0;
      dim = -1;
      if (c == ']') break;
    } else if (c != '<' && c != '=') {
      return 0;
    }
  }
  return bits / 8 + (bits % 8 != 0 ? 1 : 0);
}

std::vector<LiveItem> ItemsAt(const Assignment& assignment, const MemorySlots& slots,
                              const ValueRoles& roles, const Origins& origins,
                              std::optional<Backend> backend, int64_t time) {
  const ItemMaker maker(assignment, roles, origins);
  std::vector<LiveItem> items;
  for (const Allocation& allocation : assignment.allocations) {
    const bool is_whole = !allocation.is_preallocated_temp || assignment.schedule_end < 0;
    if (!is_whole || !IsDeviceMemory(backend, allocation.color)) continue;
    const ValueId holder = Holder(assignment, origins, allocation);
    if (holder.valid()) items.push_back(maker.Make(holder, allocation, allocation.size));
  }
  for (const MemorySlot& slot : slots.slots()) {
    const Allocation& allocation = assignment.allocation(slot.allocation);
    if (assignment.schedule_end < 0 || !IsDeviceMemory(backend, allocation.color)) continue;
    const ValueId value = slots.At(slot, time);
    if (!value.valid()) continue;
    int64_t bytes = 0;
    slots.ForEachStretch(slot, [&](ValueId, int64_t start, int64_t end, int64_t size) {
      if (start <= time && time <= end) bytes += size;
    });
    items.push_back(maker.Make(value, allocation, bytes));
  }
  SortItems(items);
  return items;
}

std::vector<LiveGroup> GroupItems(const std::vector<LiveItem>& items, GroupBy by) {
  std::map<std::string_view, LiveGroup> found;
  for (const LiveItem& item : items) {
    LiveGroup& group = found[KeyOf(item, by)];
    group.count += item.count;
    group.bytes += item.bytes;
  }
  std::vector<LiveGroup> groups;
  for (auto& [name, group] : found) {
    group.name = name;
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(), [](const LiveGroup& a, const LiveGroup& b) {
    return std::tie(b.bytes, a.name) < std::tie(a.bytes, b.name);
  });
  return groups;
}

std::vector<LiveItem> MergeAlike(const std::vector<LiveItem>& items) {
  using Key = std::tuple<ValueRole, std::string_view, std::string_view, std::string_view, bool>;
  std::map<Key, size_t> seen;
  std::vector<LiveItem> merged;
  for (const LiveItem& item : items) {
    const auto [entry, is_new] = seen.try_emplace(
        Key(item.role, item.shape, item.scope, item.opcode, item.is_donated), merged.size());
    if (is_new) {
      merged.push_back(item);
      continue;
    }
    LiveItem& into = merged[entry->second];
    into.bytes += item.bytes;
    into.logical_bytes += item.logical_bytes;
    ++into.count;
  }
  SortItems(merged);
  return merged;
}

}  // namespace halo

// The cause is the last use: the last reader of a value keeps it alive until then.
#include "halo/memory/explain/live_entries.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "halo/memory/backend/backend_description.h"
#include "halo/memory/explain/value_shape.h"

namespace halo {
namespace {

class ItemMaker {
 public:
  ItemMaker(const BoundAssignment& bound, const ValueRoles& roles, const Origins& origins)
      : bound_(bound), assignment_(bound.assignment()), roles_(roles), origins_(origins) {}

  [[nodiscard]] LiveEntry Make(ValueId id, const Allocation& allocation, int64_t bytes) const {
    const AssignedValue& value = assignment_.value(id);
    const Origin origin = roles_.OriginOf(id);
    LiveEntry item;
    item.value = id;
    item.name = assignment_.NameOf(value);
    item.shape = assignment_.text(value.shape);
    item.bytes = bytes;
    item.memory_kind = KindOf(allocation);
    item.kind = MemoryKindText(item.memory_kind);
    item.value_role = roles_.Of(id);
    item.role = ValueRoleText(item.value_role);
    item.opcode = origin.opcode;
    item.op_name = origin.op_name;
    item.scope = ScopeOf(origin.op_name);
    item.source = SourceText(origin);
    item.from = value.live.start;
    item.to = value.live.end;
    item.parameter = allocation.parameter;
    item.donated = roles_.is_donated(allocation);
    item.lives_out = allocation.maybe_live_out;
    const ValueShape shape = ShapeOfValue(bound_, id);
    item.dtype = shape.dtype;
    item.unpadded_bytes = shape.logical_bytes;
    AddCause(id, item);
    return item;
  }

 private:
  void AddCause(ValueId id, LiveEntry& item) const {
    const ValueUse* last = nullptr;
    for (const ValueUse& use : assignment_.uses_of(assignment_.value(id))) {
      const int64_t time = bound_.time(use.instruction);
      if (time <= item.needed_at) continue;
      item.needed_at = time;
      last = &use;
    }
    if (last == nullptr) return;
    item.needed_by = assignment_.text(last->instruction);
    const Origin user = origins_.Of(*last);
    item.needed_op_name = user.op_name;
    item.needed_source = SourceText(user);
    const InstId operand = OperandOf(user.inst, last->operand);
    const std::span<const int64_t> index = assignment_.index(last->index);
    // Access through a tuple element or a bitcast is not an alias worth mentioning.
    if (operand.valid() && operand != bound_.value(id).inst && !index.empty()) {
      const Module& module = *bound_.module();
      item.through = std::string(module.name_of(module.inst(operand))) + IndexText(index);
    }
  }

  // The operand of that number; invalid if unknown.
  [[nodiscard]] InstId OperandOf(InstId user, int64_t number) const {
    if (bound_.module() == nullptr || !user.valid() || number < 0) return {};
    const Module& module = *bound_.module();
    const std::span<const InstId> operands = module.operands_of(module.inst(user));
    return static_cast<size_t>(number) < operands.size() ? operands[static_cast<size_t>(number)]
                                                         : InstId();
  }

  const BoundAssignment& bound_;
  const Assignment& assignment_;
  const ValueRoles& roles_;
  const Origins& origins_;
};

// The value that represents a permanent allocation: its parameter, or else the last value in it.
ValueId Holder(const Assignment& assignment, const Origins& origins, const Allocation& allocation) {
  ValueId best;
  for (const ValueId id : assignment.values_of(allocation)) {
    const AssignedValue& value = assignment.value(id);
    if (allocation.parameter >= 0 && origins.Of(id).opcode == "parameter") {
      return id;
    }
    if (!best.valid() || value.live.end > assignment.value(best).live.end) best = id;
  }
  return best;
}

void SortEntries(std::vector<LiveEntry>& items) {
  std::sort(items.begin(), items.end(), [](const LiveEntry& a, const LiveEntry& b) {
    return std::tie(b.bytes, a.value) < std::tie(a.bytes, b.value);
  });
}

std::string_view KeyOf(const LiveEntry& item, GroupBy by) {
  const auto said = [](std::string_view text) { return text.empty() ? kUnknownGroup : text; };
  switch (by) {
    case GroupBy::kScope: return said(item.scope);
    case GroupBy::kSource: return said(item.source);
    case GroupBy::kOpcode: return said(item.opcode);
    case GroupBy::kDtype: return said(item.dtype);
    case GroupBy::kShape: return said(std::string_view(item.shape).substr(0, item.shape.find('{')));
    case GroupBy::kRole: return item.role;
  }
  return {};
}

struct ByText {
  GroupBy by;
  std::string_view text;
};
constexpr std::array kBys = {ByText{GroupBy::kScope, "scope"},   ByText{GroupBy::kSource, "source"},
                             ByText{GroupBy::kOpcode, "opcode"}, ByText{GroupBy::kDtype, "dtype"},
                             ByText{GroupBy::kShape, "shape"},   ByText{GroupBy::kRole, "role"}};

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

std::vector<std::string_view> GroupByTexts() {
  std::vector<std::string_view> texts;
  for (const ByText& each : kBys) texts.push_back(each.text);
  return texts;
}

std::vector<LiveEntry> EntriesAt(const BoundAssignment& bound, const MemorySlots& slots,
                                 const ValueRoles& roles, const Origins& origins,
                                 std::optional<Backend> backend, int64_t time) {
  const Assignment& assignment = bound.assignment();
  const ItemMaker maker(bound, roles, origins);
  std::vector<LiveEntry> items;
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
    slots.ForEachRange(slot, [&](ValueId, int64_t start, int64_t end, int64_t size) {
      if (start <= time && time <= end) bytes += size;
    });
    items.push_back(maker.Make(value, allocation, bytes));
  }
  SortEntries(items);
  return items;
}

std::vector<LiveGroup> GroupEntries(const std::vector<LiveEntry>& items, GroupBy by) {
  std::map<std::string_view, LiveGroup> found;
  for (const LiveEntry& item : items) {
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

std::vector<LiveEntry> MergeAlike(const std::vector<LiveEntry>& items) {
  using Key =
      std::tuple<std::string_view, std::string_view, std::string_view, std::string_view, bool>;
  std::map<Key, size_t> seen;
  std::vector<LiveEntry> merged;
  for (const LiveEntry& item : items) {
    const auto [entry, is_new] = seen.try_emplace(
        Key(item.role, item.shape, item.scope, item.opcode, item.donated), merged.size());
    if (is_new) {
      merged.push_back(item);
      continue;
    }
    LiveEntry& into = merged[entry->second];
    into.bytes += item.bytes;
    into.unpadded_bytes += item.unpadded_bytes;
    ++into.count;
  }
  SortEntries(merged);
  return merged;
}

}  // namespace halo

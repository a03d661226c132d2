// Fit, size, aliasing, donation, values live past the end, totals, memory spaces and threads.
#include "halo/memory/check/check_rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace halo::check {
namespace {

class Rules {
 public:
  Rules(const Assignment& assignment, const Facts& facts, CheckRules rules, Report& report)
      : assignment_(assignment), facts_(facts), rules_(rules), report_(report) {}

  void Check() {
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      if (!assignment_.values[i].allocation.valid()) continue;
      CheckFit(i);
      CheckSize(i);
      CheckColor(i);
      CheckThread(i);
    }
    CheckTwice();
    CheckAliases();
    CheckReadOnly();
    CheckLiveOut();
    CheckTotal();
    CheckOrder();
    for (const Unplaced& value : facts_.unplaced) {
      Add(FindingKind::kNotPlaced, {}, {}, {},
          value.name + " needs " + std::to_string(value.bytes) + " bytes and has no allocation.");
    }
  }

 private:
  void Add(FindingKind kind, ValueId first, ValueId second, AllocationId allocation,
           std::string text, int64_t begin = 0, int64_t end = 0, LiveRange time = {}) {
    report_.Add({kind, first, second, allocation, begin, end, time, std::move(text)});
  }
  [[nodiscard]] std::string Name(uint32_t value) const {
    return assignment_.NameOf(assignment_.values[value]);
  }

  void CheckFit(uint32_t id) {
    const AssignedValue& value = assignment_.values[id];
    const Allocation& allocation = assignment_.allocation(value.allocation);
    if (value.offset >= 0 && value.size >= 0 && value.size <= allocation.size &&
        value.offset <= allocation.size - value.size) {
      return;
    }
    Add(FindingKind::kOutOfAllocation, ValueId(id), {}, value.allocation,
        Name(id) + " takes " + std::to_string(value.size) + " bytes at offset " +
            std::to_string(value.offset) + " of an allocation of " +
            std::to_string(allocation.size) + ".",
        std::max<int64_t>(allocation.size, 0), value.offset);
  }

  [[nodiscard]] bool IsExact() const {
    return rules_ == CheckRules::kCpu || rules_ == CheckRules::kGpu;
  }

  // The bytes that a shape takes; nullopt if only the backend knows.
  [[nodiscard]] std::optional<int64_t> BytesOf(const ShapeTable& shapes, ShapeId shape) const {
    if (shapes.is_tuple(shape)) {
      if (!IsExact()) return std::nullopt;
      return 8 * static_cast<int64_t>(shapes.elements(shape).size());
    }
    if (!shapes.is_array(shape)) return std::nullopt;
    if (IsExact()) {
      const Layout* layout = shapes.layout(shape);
      const bool is_packed = layout != nullptr && layout->element_bits != 0;
      // Small elements take one byte each unless the layout says otherwise.
      auto bytes = InfoOf(shapes.type(shape)).bits < 8 && !is_packed ? shapes.ElementCount(shape)
                                                                     : shapes.ByteSize(shape);
      if (bytes && shapes.has_dynamic(shape)) {
        // The actual sizes are stored after the data.
        const auto sizes = 4 * static_cast<int64_t>(shapes.dims(shape).size());
        if (__builtin_add_overflow(*bytes, sizes, &*bytes)) return std::nullopt;
      }
      return bytes;
    }
    const auto count = shapes.ElementCount(shape);
    int64_t bits = 0;
    if (!count || __builtin_mul_overflow(*count, InfoOf(shapes.type(shape)).bits, &bits)) {
      return std::nullopt;
    }
    return bits / 8;
  }

  void CheckSize(uint32_t id) {
    const AssignedValue& value = assignment_.values[id];
    const auto shape = facts_.ShapeOf(ValueId(id));
    if (!shape || facts_.shapes() == nullptr) return;
    const auto bytes = BytesOf(*facts_.shapes(), *shape);
    if (!bytes || value.size == *bytes || (!IsExact() && value.size > *bytes)) return;
    Add(FindingKind::kWrongSize, ValueId(id), {}, value.allocation,
        Name(id) + " is given " + std::to_string(value.size) + " bytes where its shape needs " +
            std::to_string(*bytes) + ".");
  }

  void CheckColor(uint32_t id) {
    const AssignedValue& value = assignment_.values[id];
    const Allocation& allocation = assignment_.allocation(value.allocation);
    // In old dumps values have no color; some values fill holes of another memory space on purpose.
    if (value.color < 0 || value.is_cross_color || value.color == allocation.color) return;
    Add(FindingKind::kWrongColor, ValueId(id), {}, value.allocation,
        Name(id) + " belongs to memory space " + std::to_string(value.color) +
            ", its allocation to " + std::to_string(allocation.color) + ".");
  }

  void CheckThread(uint32_t id) {
    const AssignedValue& value = assignment_.values[id];
    const auto local = facts_.IsThreadLocal(ValueId(id));
    // Constants are only read, from any thread.
    if (assignment_.allocation(value.allocation).is_constant) return;
    if (!local || *local == assignment_.allocation(value.allocation).is_thread_local) return;
    Add(FindingKind::kWrongThread, ValueId(id), {}, value.allocation,
        Name(id) +
            (*local ? " is in a parallel computation, but its allocation is shared by all threads."
                    : " is not in a parallel computation, but its allocation is thread-local."));
  }

  void CheckTwice() {
    std::unordered_map<uint64_t, uint32_t> known;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.allocation.valid()) continue;
      const uint32_t index =
          assignment_.index(value.index).empty() ? 0xFFFFFFFFu : value.index.value;
      const uint64_t key = uint64_t{value.instruction.value} << 32 | index;
      const auto [at, fresh] = known.try_emplace(key, i);
      if (fresh) continue;
      Add(FindingKind::kPlacedTwice, ValueId(at->second), ValueId(i), value.allocation,
          Name(i) + " is placed twice.");
    }
  }

  void CheckAliases() {
    std::unordered_map<uint32_t, uint32_t> firsts;
    for (uint32_t i = 0; i < assignment_.values.size(); ++i) {
      const AssignedValue& value = assignment_.values[i];
      if (!value.allocation.valid() || value.size == 0) continue;
      const auto [at, fresh] = firsts.try_emplace(facts_.groups[i], i);
      const AssignedValue& first = assignment_.values[at->second];
      if (fresh || (first.allocation == value.allocation && first.offset == value.offset)) continue;
      Add(FindingKind::kAliasApart, ValueId(at->second), ValueId(i), value.allocation,
          Name(at->second) + " and " + Name(i) + " must share memory, but are at offset " +
              std::to_string(first.offset) + " of allocation " +
              std::to_string(first.allocation.value) + " and at offset " +
              std::to_string(value.offset) + " of allocation " +
              std::to_string(value.allocation.value) + ".");
    }
  }

  // Constants and parameters that are not donated hold nothing else.
  void CheckReadOnly() {
    for (size_t a = 0; a < assignment_.allocations.size(); ++a) {
      const Allocation& allocation = assignment_.allocations[a];
      const bool kept = facts_.IsKeptParameter(allocation).value_or(false);
      if (!kept && !allocation.is_constant) continue;
      std::optional<uint32_t> owner;
      for (const ValueId id : assignment_.values_of(allocation)) {
        const LiveRange& live = assignment_.value(id).live;
        if (!owner || live.start < assignment_.values[*owner].live.start) owner = id.value;
      }
      for (const ValueId id : assignment_.values_of(allocation)) {
        if (facts_.groups[id.index()] == facts_.groups[*owner]) continue;
        Add(kept ? FindingKind::kParameterOverwritten : FindingKind::kConstantOverwritten,
            ValueId(*owner), id, AllocationId(a),
            Name(id.value) + " is placed over " + Name(*owner) +
                (kept ? ", a parameter that the caller keeps." : ", a constant."),
            0, 0, assignment_.value(id).live);
      }
    }
  }

  void CheckLiveOut() {
    std::vector<bool> reported(assignment_.allocations.size(), false);
    for (const uint32_t id : facts_.live_out) {
      const AssignedValue& value = assignment_.values[id];
      if (!value.allocation.valid() || value.size == 0) continue;
      const Allocation& allocation = assignment_.allocation(value.allocation);
      if (allocation.maybe_live_out || reported[value.allocation.index()]) continue;
      reported[value.allocation.index()] = true;
      Add(FindingKind::kNotLiveOut, ValueId(id), {}, value.allocation,
          Name(id) + " is a result of the program, but its allocation is not maybe-live-out.");
    }
  }

  void CheckTotal() {
    int64_t total = 0;
    for (const Allocation& allocation : assignment_.allocations) {
      if (__builtin_add_overflow(total, allocation.size, &total)) total = INT64_MAX;
    }
    if (total == assignment_.total_bytes) return;
    Add(FindingKind::kWrongTotal, {}, {}, {},
        "The total is printed as " + std::to_string(assignment_.total_bytes) +
            " bytes, but the allocations sum to " + std::to_string(total) + ".");
  }

  void CheckOrder() {
    if (facts_.early_uses.empty()) return;
    std::unordered_map<uint32_t, uint32_t> firsts;
    for (uint32_t i = 0; i < facts_.groups.size(); ++i) firsts.try_emplace(facts_.groups[i], i);
    for (const EarlyUse& use : facts_.early_uses) {
      const auto at = firsts.find(use.group);
      ReportEarlyUse(use, at == firsts.end() ? std::nullopt : std::optional(at->second));
    }
  }

  void ReportEarlyUse(const EarlyUse& use, std::optional<uint32_t> found) {
    const std::string name = found ? Name(*found) : std::string("A value");
    Add(FindingKind::kUsedBeforeDefined, found ? ValueId(*found) : ValueId(), {},
        found ? assignment_.values[*found].allocation : AllocationId(),
        name + " is read at " + std::to_string(use.used) + ", but its memory is first written at " +
            std::to_string(use.defined) + ".",
        0, 0, {use.used, use.defined});
  }

  const Assignment& assignment_;
  const Facts& facts_;
  CheckRules rules_;
  Report& report_;
};

}  // namespace

void CheckPlacementRules(const Assignment& assignment, const Facts& facts, CheckRules rules,
                         Report& report) {
  Rules(assignment, facts, rules, report).Check();
}

}  // namespace halo::check

// Names come first, because people choose them; then what the program does with a value.
#include "halo/memory/explain/value_roles.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "halo/memory/explain/value_shape.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, kValueRoles> kRoleTexts = {
    "weights",    "optimizer state",       "input",           "parameter", "output",
    "activation", "recomputed activation", "gathered weight", "gradient",  "temp",
    "constant"};

bool HasAny(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

}  // namespace

std::string_view ValueRoleText(ValueRole role) { return kRoleTexts[static_cast<size_t>(role)]; }

std::vector<std::string_view> ValueRoleTexts() { return {kRoleTexts.begin(), kRoleTexts.end()}; }

ValueRoles::ValueRoles(const BoundAssignment& bound, const Origins& origins)
    : bound_(bound), assignment_(bound.assignment()), origins_(origins) {
  LinkNeighbours();
  if (!origins.has_gradients()) return;
  for (const Allocation& allocation : assignment_.allocations) {
    if (allocation.parameter < 0) continue;
    for (const ValueId id : assignment_.values_of(allocation)) {
      if (FeedsTheModel(id)) weights_.push_back(ShapeOfValue(bound_, id).dims);
    }
  }
  std::sort(weights_.begin(), weights_.end());
}

void ValueRoles::LinkNeighbours() {
  neighbour_.resize(assignment_.values.size());
  std::vector<ValueId> sorted;
  for (const Allocation& allocation : assignment_.allocations) {
    const std::span<const ValueId> values = assignment_.values_of(allocation);
    sorted.assign(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end(), [&](ValueId a, ValueId b) {
      const AssignedValue& x = assignment_.value(a);
      const AssignedValue& y = assignment_.value(b);
      return std::tuple(x.offset, x.live.start, a) < std::tuple(y.offset, y.live.start, b);
    });
    const auto touch = [&](ValueId a, ValueId b) {
      const AssignedValue& x = assignment_.value(a);
      const AssignedValue& y = assignment_.value(b);
      return x.offset == y.offset && x.size == y.size && x.live.end + 1 >= y.live.start;
    };
    const auto is_named = [&](ValueId id) { return !origins_.Of(id).op_name.empty(); };
    // Prefer the next named value: later values are more telling than the zeros a loop starts with.
    ValueId named;
    for (size_t i = sorted.size(); i-- > 0;) {
      if (i + 1 < sorted.size() && !touch(sorted[i], sorted[i + 1])) named = ValueId();
      if (is_named(sorted[i])) named = sorted[i];
      neighbour_[sorted[i].index()] = named;
    }
    named = ValueId();
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (i != 0 && !touch(sorted[i - 1], sorted[i])) named = ValueId();
      if (is_named(sorted[i])) named = sorted[i];
      if (!neighbour_[sorted[i].index()].valid()) neighbour_[sorted[i].index()] = named;
    }
  }
}

Origin ValueRoles::OriginOf(ValueId id) const {
  Origin own = origins_.Of(id);
  const ValueId other = neighbour_[id.index()];
  if (!own.op_name.empty() || !other.valid()) return own;
  const Origin named = origins_.Of(other);
  own.op_name = named.op_name;
  if (own.file.empty()) {
    own.file = named.file;
    own.line = named.line;
  }
  return own;
}

bool ValueRoles::is_donated(const Allocation& allocation) const {
  return allocation.parameter >= 0 && allocation.maybe_live_out;
}

bool ValueRoles::FeedsTheModel(ValueId id) const {
  if (!ShapeOfValue(bound_, id).is_float) return false;
  const std::span<const ValueUse> uses = assignment_.uses_of(assignment_.value(id));
  return std::any_of(uses.begin(), uses.end(),
                     [&](const ValueUse& use) { return IsForward(origins_.Of(use).op_name); });
}

ValueRole ValueRoles::RoleOfParameter(ValueId id) const {
  const AssignedValue& value = assignment_.value(id);
  const std::string_view name = origins_.Of(id).op_name;
  if (HasAny(name, {"opt_state", ".mu[", ".nu[", "['mu']", "['nu']", "exp_avg", "momentum"})) {
    return ValueRole::kOptimizerState;
  }
  if (HasAny(name, {"params", "weight"})) return ValueRole::kWeights;
  if (!origins_.has_gradients()) return ValueRole::kParameter;
  const Allocation& allocation = assignment_.allocation(value.allocation);
  if (!is_donated(allocation)) return ValueRole::kInput;
  if (FeedsTheModel(id)) return ValueRole::kWeights;
  const ValueShape shape = ShapeOfValue(bound_, id);
  if (shape.is_float && std::binary_search(weights_.begin(), weights_.end(), shape.dims)) {
    return ValueRole::kOptimizerState;
  }
  return ValueRole::kParameter;
}

ValueRole ValueRoles::Of(ValueId id) const {
  const AssignedValue& value = assignment_.value(id);
  if (!value.allocation.valid()) return ValueRole::kTemp;
  const Allocation& allocation = assignment_.allocation(value.allocation);
  switch (KindOf(allocation)) {
    case MemoryKind::kParameter: {
      // The parameter itself decides, whichever value uses its memory at the moment.
      for (const ValueId each : assignment_.values_of(allocation)) {
        if (origins_.Of(each).opcode == "parameter") return RoleOfParameter(each);
      }
      return RoleOfParameter(id);
    }
    case MemoryKind::kOutput: return ValueRole::kOutput;
    case MemoryKind::kConstant: return ValueRole::kConstant;
    case MemoryKind::kThreadLocal: return ValueRole::kTemp;
    case MemoryKind::kTemp: break;
  }
  const Origin origin = OriginOf(id);
  if (origin.opcode.starts_with("all-gather")) return ValueRole::kGathered;
  if (!origins_.has_gradients()) return ValueRole::kTemp;
  if (IsRecomputed(origin.op_name)) return ValueRole::kRecomputed;
  if (IsBackward(origin.op_name)) return ValueRole::kGradient;
  if (IsForward(origin.op_name)) return ValueRole::kActivation;
  return ValueRole::kTemp;
}

}  // namespace halo

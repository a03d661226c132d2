// Derives axes from the members of a group: ids that grow by one step, then by another, are digits
// of a mixed-radix number.
#include "halo/shrink/dims/device_axes.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "halo/ir/sharding/replica_groups.h"

namespace halo {
namespace {

constexpr size_t kMaxIds = 1 << 22;

using Digit = DeviceAxes::Axis;

// The members as digits, minor first; nothing if they do not have that form.
std::optional<std::vector<Digit>> DigitsOf(const std::vector<int64_t>& members) {
  std::vector<Digit> digits;
  size_t done = 1;
  while (done < members.size()) {
    const int64_t stride = members[done] - members[0];
    if (stride <= 0) return std::nullopt;
    size_t count = 2;
    while (count * done < members.size() &&
           members[count * done] - members[0] == static_cast<int64_t>(count) * stride) {
      ++count;
    }
    digits.push_back({static_cast<int64_t>(count), stride});
    done *= count;
  }
  if (done != members.size()) return std::nullopt;
  for (size_t i = 0; i < members.size(); ++i) {
    int64_t expected = members[0];
    size_t rest = i;
    for (const Digit& digit : digits) {
      expected += static_cast<int64_t>(rest % static_cast<size_t>(digit.count)) * digit.stride;
      rest /= static_cast<size_t>(digit.count);
    }
    if (expected != members[i]) return std::nullopt;
  }
  return digits;
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> GroupLists(const Module& module, const Inst& inst,
                                                            int64_t devices) {
  const auto groups =
      ParseReplicaGroups(module.TextOr(inst.attrs, AttrKey::k_replica_groups, "{}"));
  if (!groups) return std::nullopt;
  auto lists = ExpandReplicaGroups(*groups, kMaxIds);
  if (!lists) return std::nullopt;
  if (lists->empty() || (lists->size() == 1 && lists->front().empty())) {
    if (devices > static_cast<int64_t>(kMaxIds)) return std::nullopt;
    std::vector<int64_t> all(static_cast<size_t>(devices));
    std::iota(all.begin(), all.end(), 0);
    lists->clear();
    lists->push_back(std::move(all));
  }
  return lists;
}

DeviceAxes::DeviceAxes(const Module& module, DimSpace& space) : module_(module), space_(space) {
  count_ = CountDevices();
  mixed_ = module.IntOr(module.attrs, AttrKey::k_replica_count, 1) > 1 &&
           module.IntOr(module.attrs, AttrKey::k_num_partitions, 1) > 1;
  node_ = space_.Make(count_);
}

int64_t DeviceAxes::CountDevices() const {
  const int64_t replicas = module_.IntOr(module_.attrs, AttrKey::k_replica_count, 1);
  const int64_t partitions = module_.IntOr(module_.attrs, AttrKey::k_num_partitions, 1);
  int64_t count = 0;
  if (replicas > 0 && partitions > 0 && !__builtin_mul_overflow(replicas, partitions, &count) &&
      count > 1) {
    return count;
  }
  // If the header has no counts, the groups tell which devices exist.
  int64_t most = 1;
  for (size_t i = 0; i < module_.insts.size(); ++i) {
    const Inst& inst = module_.insts[i];
    if (module_.Find(inst, AttrKey::k_replica_groups) == nullptr) continue;
    const auto lists = GroupLists(module_, inst, 1);
    if (!lists) continue;
    for (const auto& members : *lists) {
      for (const int64_t member : members) most = std::max(most, member + 1);
    }
  }
  return std::min<int64_t>(most, static_cast<int64_t>(kMaxIds));
}

std::optional<DimId> DeviceAxes::AxisAt(int64_t count, int64_t stride, InstId why) {
  if (stride <= 0 || count <= 0 || count_ % stride != 0 || (count_ / stride) % count != 0) {
    return std::nullopt;
  }
  DimId above, below, rest, axis;
  if (!space_.SplitAt(node_, stride, why, &above, &below)) return std::nullopt;
  if (!space_.SplitAt(above, count, why, &rest, &axis)) return std::nullopt;
  return axis;
}

std::optional<DeviceAxes::Axis> DeviceAxes::AxisOf(int64_t count) const {
  const std::pair<Axis, int64_t>* best = nullptr;
  for (const auto& each : seen_) {
    if (each.first.count != count) continue;
    if (best == nullptr || each.second > best->second) best = &each;
  }
  if (best != nullptr) return best->first;
  if (count == count_ && count > 1) return Axis{count, 1};
  return std::nullopt;
}

std::vector<DimId> DeviceAxes::GroupAxes(InstId inst) {
  const auto lists = GroupLists(module_, module_.inst(inst), count_);
  if (!lists || lists->empty()) {
    space_.Pin(node_, inst, "its groups cannot be written out");
    return {};
  }
  const auto& members = lists->front();
  const auto digits = DigitsOf(members);
  if (digits && digits->size() == 1) {
    const Axis axis = digits->front();
    const auto known = std::find_if(seen_.begin(), seen_.end(), [&](const auto& each) {
      return each.first.count == axis.count && each.first.stride == axis.stride;
    });
    if (known == seen_.end()) {
      seen_.emplace_back(axis, 1);
    } else {
      ++known->second;
    }
  }
  std::vector<DimId> axes;
  if (digits && !mixed_) {
    for (const Digit& digit : *digits) {
      const auto axis = AxisAt(digit.count, digit.stride, inst);
      if (!axis) break;
      axes.insert(axes.begin(), *axis);
    }
    if (axes.size() == digits->size()) return axes;
  }
  space_.Pin(node_, inst, "its groups follow no axes of the devices");
  return {space_.Constant(static_cast<int64_t>(members.size()), inst)};
}

}  // namespace halo

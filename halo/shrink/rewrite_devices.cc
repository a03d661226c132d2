// Reduces the number of devices: those whose digits along every axis still exist stay and are
// renumbered. Groups lose the removed members; permutations along an axis wrap around sooner.
#include <algorithm>

#include "halo/ir/sharding/replica_groups.h"
#include "halo/ir/sharding/sharding.h"
#include "halo/shrink/rewrite.h"

namespace halo {
namespace {

// The iota notation if it is equivalent to the list.
DeviceOrder OrderOf(const std::vector<int64_t>& devices) {
  const auto count = static_cast<int64_t>(devices.size());
  DeviceOrder order = PlainOrder(count);
  if (ExpandOrder(order, devices.size()) == devices) return order;
  for (int64_t rows = 2; rows < count; ++rows) {
    if (count % rows != 0) continue;
    order.reshape = {rows, count / rows};
    order.transpose = {1, 0};
    if (ExpandOrder(order, devices.size()) == devices) return order;
  }
  order = DeviceOrder();
  order.devices = devices;
  return order;
}

}  // namespace

void SizeRewriter::PrepareDevices() {
  const int64_t count = sizes_.of(devices_.node());
  fewer_devices_ = count != devices_.count();
  if (!fewer_devices_) return;
  new_device_.assign(static_cast<size_t>(devices_.count()), -1);
  for (int64_t i = 0; i < count; ++i) {
    old_device_.push_back(sizes_.OldElement(devices_.node(), i));
    new_device_[static_cast<size_t>(old_device_.back())] = i;
  }
}

Attr SizeRewriter::Groups(InstId id, const Attr& attr) {
  if (!fewer_devices_) return attr;
  const auto parsed = ParseReplicaGroups(module_.text(StrId(attr.value)));
  const auto lists = GroupLists(module_, module_.inst(id), devices_.count());
  if (!parsed || !lists) {
    Refuse(id, "its groups cannot be written out");
    return attr;
  }
  if (parsed->kind == GroupsKind::kLists && parsed->lists.empty()) return attr;
  ReplicaGroups groups;
  for (const auto& members : *lists) {
    std::vector<int64_t> left;
    for (const int64_t member : members) {
      if (member < 0 || member >= devices_.count()) continue;
      const int64_t device = new_device_[static_cast<size_t>(member)];
      if (device >= 0) left.push_back(device);
    }
    if (!left.empty()) groups.lists.push_back(std::move(left));
  }
  if (parsed->kind == GroupsKind::kIota && !groups.lists.empty()) {
    ReplicaGroups iota;
    iota.kind = GroupsKind::kIota;
    iota.groups = static_cast<int64_t>(groups.lists.size());
    iota.group_size = static_cast<int64_t>(groups.lists[0].size());
    std::vector<int64_t> devices;
    for (const auto& members : groups.lists) {
      devices.insert(devices.end(), members.begin(), members.end());
    }
    iota.order = OrderOf(devices);
    if (!iota.order.is_list()) groups = std::move(iota);
  }
  TextBuffer out;
  PrintReplicaGroups(groups, out);
  return module_.MakeText(attr.key, out.view(), attr.form);
}

// The list holds its length, then for each pair 2, source and target.
Attr SizeRewriter::Pairs(InstId id, const Attr& attr) {
  if (!fewer_devices_) return attr;
  const auto old = module_.list(attr.value);
  std::vector<int64_t> target_of(static_cast<size_t>(devices_.count()), -1);
  for (size_t i = 1; i + 2 < old.size(); i += 3) {
    if (old[i] != 2 || old[i + 1] < 0 || old[i + 1] >= devices_.count()) return attr;
    target_of[static_cast<size_t>(old[i + 1])] = old[i + 2];
  }
  std::vector<DimId> axes;
  space_.Factors(devices_.node(), axes);
  const auto digits = [&](int64_t device) {
    std::vector<int64_t> list(axes.size());
    for (size_t i = axes.size(); i-- > 0;) {
      list[i] = device % space_.size(axes[i]);
      device /= space_.size(axes[i]);
    }
    return list;
  };
  std::vector<int64_t> pairs = {0};
  std::vector<bool> taken(old_device_.size(), false);
  for (size_t i = 0; i < old_device_.size(); ++i) {
    // The last device along an axis represents the previous last one, where shifts wrap or end.
    std::vector<int64_t> here = digits(old_device_[i]);
    std::vector<int64_t> scaled = here;
    int64_t source = 0;
    for (size_t a = 0; a < axes.size(); ++a) {
      if (here[a] == sizes_.of(axes[a]) - 1) scaled[a] = space_.size(axes[a]) - 1;
      source = source * space_.size(axes[a]) + scaled[a];
    }
    const int64_t target = target_of[static_cast<size_t>(source)];
    if (target < 0 || target >= devices_.count()) continue;
    const std::vector<int64_t> there = digits(target);
    int64_t device = 0;
    for (size_t a = 0; a < axes.size(); ++a) {
      const int64_t size = sizes_.of(axes[a]);
      const int64_t step = there[a] - scaled[a];
      device = device * size + (((here[a] + step) % size) + size) % size;
    }
    if (taken[static_cast<size_t>(device)]) {
      Refuse(id, "its pairs do not follow the axes that lose devices");
      return attr;
    }
    taken[static_cast<size_t>(device)] = true;
    pairs.insert(pairs.end(), {2, static_cast<int64_t>(i), device});
    ++pairs[0];
  }
  return module_.MakeInts(attr.key, pairs, attr.form);
}

Attr SizeRewriter::Sharding(InstId id, const Attr& attr) {
  if (!fewer_devices_) return attr;
  auto sharding = ParseSharding(module_.text(StrId(attr.value)));
  if (!sharding) return attr;
  if (!FewerTiles(*sharding)) {
    Refuse(id, "its sharding speaks of " + std::to_string(devices_.count()) + " devices");
    return attr;
  }
  TextBuffer out;
  PrintSharding(*sharding, out);
  return module_.MakeText(attr.key, out.view(), attr.form);
}

// A grid keeps the rows and columns in which devices remain; these must form a grid again.
bool SizeRewriter::FewerTiles(halo::Sharding& sharding) const {
  for (halo::Sharding& element : sharding.elements) {
    if (!FewerTiles(element)) return false;
  }
  if (sharding.kind == ShardingKind::kNamed || sharding.kind == ShardingKind::kMaximal)
    return false;
  if (sharding.kind != ShardingKind::kTiled) return true;
  const auto devices = ExpandOrder(sharding.order, 1 << 22);
  if (!devices) return false;
  std::vector<std::vector<bool>> kept;
  for (const int64_t size : sharding.tile_dims) {
    if (size <= 0) return false;
    kept.emplace_back(static_cast<size_t>(size), false);
  }
  std::vector<int64_t> left;
  for (size_t i = 0; i < devices->size(); ++i) {
    const int64_t old = (*devices)[i];
    if (old < 0 || old >= devices_.count()) return false;
    if (new_device_[static_cast<size_t>(old)] < 0) continue;
    left.push_back(new_device_[static_cast<size_t>(old)]);
    size_t rest = i;
    for (size_t d = kept.size(); d-- > 0;) {
      kept[d][rest % kept[d].size()] = true;
      rest /= kept[d].size();
    }
  }
  int64_t product = 1;
  for (size_t d = 0; d < kept.size(); ++d) {
    sharding.tile_dims[d] = std::count(kept[d].begin(), kept[d].end(), true);
    product *= sharding.tile_dims[d];
  }
  if (product != static_cast<int64_t>(left.size())) return false;
  sharding.order = OrderOf(left);
  return true;
}

}  // namespace halo

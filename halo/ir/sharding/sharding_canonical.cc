// The normal form of shardings. Trailing subgroup dimensions of equal kind are merged, kinds are
// sorted, and the replicas of one tile are listed in order. A sharding that does not partition
// anything becomes replicated, manual or unreduced.
#include <algorithm>
#include <array>
#include <span>

#include "halo/ir/sharding/sharding.h"

namespace halo {
namespace {

// Beyond this many devices, an iota order that has no symbolic normal form stays unchanged.
constexpr size_t kMaxListed = size_t{1} << 20;

// The canonical order of subgroup kinds.
constexpr std::array kSubgroupOrder = {SubgroupKind::kMaximal, SubgroupKind::kManual,
                                       SubgroupKind::kUnreduced, SubgroupKind::kReplicated};

void BecomeWhole(Sharding& sharding, ShardingKind kind) {
  sharding.kind = kind;
  sharding.tile_dims.clear();
  sharding.order = {};
  sharding.subgroups.clear();
}

int64_t Product(std::span<const int64_t> extents) { return CheckedProduct(extents).value_or(0); }

// An iota order equal to `order` except that each run of `group` devices is in ascending order;
// nullopt if there is no such iota order.
std::optional<DeviceOrder> SortLastCounted(const DeviceOrder& order, int64_t group) {
  if (order.reshape[static_cast<size_t>(order.transpose.back())] == group) return order;
  size_t sorted = 0;  // number of trailing transposed dimensions that form the group
  int64_t left = group;
  std::optional<size_t> cut;  // a reshape dimension of which only the minor part is in the group
  while (sorted < order.transpose.size() && !cut) {
    const auto dim = static_cast<size_t>(order.transpose[order.transpose.size() - 1 - sorted]);
    const int64_t size = order.reshape[dim];
    ++sorted;
    if (size <= left) {
      if (size == 0 || left % size != 0) return std::nullopt;
      left /= size;
    } else {
      if (size % left != 0) return std::nullopt;
      cut = dim;
    }
  }
  DeviceOrder result = order;
  if (cut) {
    const auto at = static_cast<ptrdiff_t>(*cut);
    result.reshape[*cut] /= left;
    result.reshape.insert(result.reshape.begin() + at + 1, left);
    for (int64_t& dim : result.transpose) {
      if (dim > at) ++dim;
    }
    const auto head = std::find(result.transpose.begin(), result.transpose.end(), at);
    result.transpose.insert(head + 1, at + 1);
  }
  std::sort(result.transpose.end() - static_cast<ptrdiff_t>(sorted), result.transpose.end());
  SimplifyOrder(result);
  return result;
}

// The last dimension holds copies of one tile: sorts each tile's devices. Leaves `subgroups`
// unchanged.
void SortReplicas(Sharding& sharding) {
  const int64_t total = Product(sharding.tile_dims);
  const int64_t group = sharding.tile_dims.back();
  if (sharding.tile_dims.size() == 1 || group == total) {
    return BecomeWhole(sharding, ShardingKind::kReplicated);
  }
  if (group == 1) {
    sharding.tile_dims.pop_back();
    sharding.subgroups.pop_back();
    return;
  }
  if (group <= 0) return;
  if (!sharding.order.is_list()) {
    if (auto sorted = SortLastCounted(sharding.order, group)) {
      sharding.order = std::move(*sorted);
      return;
    }
  }
  auto devices = ExpandOrder(sharding.order, kMaxListed);
  if (!devices) return;
  for (size_t i = 0; i < devices->size(); i += static_cast<size_t>(group)) {
    const auto begin = devices->begin() + static_cast<ptrdiff_t>(i);
    std::sort(begin, begin + static_cast<ptrdiff_t>(group));
  }
  sharding.order = DeviceOrder{{}, {}, std::move(*devices)};
}

// Merges subgroup dimensions of one kind, drops those of size one, and sorts kinds. False if that
// would need a device list that is too long.
bool MergeSubgroups(Sharding& sharding) {
  const size_t data_dims = sharding.tile_dims.size() - sharding.subgroups.size();
  std::array<std::vector<int64_t>, kSubgroupOrder.size()> dims_of;
  std::vector<int64_t> dropped;
  bool merging = false;
  size_t kinds = 0;
  for (size_t i = 0; i < sharding.subgroups.size(); ++i) {
    const auto dim = static_cast<int64_t>(data_dims + i);
    if (sharding.tile_dims[data_dims + i] == 1) {
      dropped.push_back(dim);
      merging = true;
      continue;
    }
    auto& dims = dims_of[static_cast<size_t>(sharding.subgroups[i])];
    if (dims.empty()) ++kinds;
    merging |= !dims.empty();
    dims.push_back(dim);
  }
  if (!merging && kinds <= 1) return true;

  const auto data_end = sharding.tile_dims.begin() + static_cast<ptrdiff_t>(data_dims);
  std::vector<int64_t> merged(sharding.tile_dims.begin(), data_end);
  std::vector<int64_t> permutation;
  for (size_t i = 0; i < data_dims; ++i) permutation.push_back(static_cast<int64_t>(i));
  std::vector<SubgroupKind> subgroups;
  for (const SubgroupKind kind : kSubgroupOrder) {
    const auto& dims = dims_of[static_cast<size_t>(kind)];
    if (dims.empty()) continue;
    int64_t size = 1;
    for (const int64_t dim : dims) size *= sharding.tile_dims[static_cast<size_t>(dim)];
    permutation.insert(permutation.end(), dims.begin(), dims.end());
    merged.push_back(size);
    subgroups.push_back(kind);
  }
  permutation.insert(permutation.end(), dropped.begin(), dropped.end());
  if (auto order = TransposeOrder(sharding.order, sharding.tile_dims, permutation)) {
    sharding.order = std::move(*order);
  } else {
    const auto devices = ExpandOrder(sharding.order, kMaxListed);
    if (!devices) return false;
    sharding.order = DeviceOrder{{}, {}, TransposeGrid(*devices, sharding.tile_dims, permutation)};
  }
  sharding.tile_dims = std::move(merged);
  sharding.subgroups = std::move(subgroups);
  return true;
}

void CanonicalizeTiled(Sharding& sharding) {
  SimplifyOrder(sharding.order);
  if (sharding.subgroups.empty() || Product(sharding.tile_dims) <= 0) return;
  const SubgroupKind first = sharding.subgroups.front();
  const size_t data_dims = sharding.tile_dims.size() - sharding.subgroups.size();
  const bool one_kind = std::all_of(sharding.subgroups.begin(), sharding.subgroups.end(),
                                    [&](SubgroupKind kind) { return kind == first; });
  if (one_kind && Product(std::span(sharding.tile_dims).first(data_dims)) == 1) {
    switch (first) {
      case SubgroupKind::kManual: return BecomeWhole(sharding, ShardingKind::kManual);
      case SubgroupKind::kReplicated: return BecomeWhole(sharding, ShardingKind::kReplicated);
      case SubgroupKind::kUnreduced: return BecomeWhole(sharding, ShardingKind::kUnreduced);
      case SubgroupKind::kMaximal: break;
    }
  }
  if (!MergeSubgroups(sharding)) return;
  if (sharding.subgroups.empty()) return;
  if (sharding.subgroups.back() == SubgroupKind::kReplicated) return SortReplicas(sharding);
  if (sharding.subgroups.size() == 1 && sharding.subgroups[0] == SubgroupKind::kManual &&
      sharding.tile_dims.back() == Product(sharding.tile_dims)) {
    BecomeWhole(sharding, ShardingKind::kManual);
  }
}

}  // namespace

void CanonicalizeSharding(Sharding& sharding) {
  switch (sharding.kind) {
    case ShardingKind::kTuple:
      for (Sharding& element : sharding.elements) CanonicalizeSharding(element);
      break;
    case ShardingKind::kTiled: CanonicalizeTiled(sharding); break;
    case ShardingKind::kNamed: SimplifyOrder(sharding.mesh.order); break;
    default: break;
  }
}

}  // namespace halo

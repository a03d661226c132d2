// Parses, prints and expands replica groups.
#include "halo/ir/sharding/replica_groups.h"

#include <algorithm>
#include <utility>

namespace halo {
namespace {

bool Fail(std::string* why, const char* text) {
  if (why != nullptr) *why = text;
  return false;
}

bool ParseLists(Scanner& scan, ReplicaGroups& groups, std::string* why) {
  scan.Eat('{');
  if (scan.Eat('}')) return true;
  do {
    if (!scan.Eat('{')) {
      // A list of devices without the braces of its group, as in {0,1}.
      if (scan.Int()) scan.MarkContradiction();
      return Fail(why, "expected { before a replica group");
    }
    auto& list = groups.lists.emplace_back();
    if (scan.Eat('}')) continue;
    if (!scan.Ints(list)) return Fail(why, "expected device numbers in a replica group");
    if (!scan.Eat('}')) return Fail(why, "expected } after a replica group");
  } while (scan.Eat(','));
  return scan.Eat('}') || Fail(why, "expected } after the replica groups");
}

bool ParseIota(Scanner& scan, ReplicaGroups& groups, std::string* why) {
  groups.kind = GroupsKind::kIota;
  std::vector<int64_t> dims;
  scan.Eat('[');
  if (!scan.Ints(dims) || dims.size() != 2 || !scan.Eat(']') || !scan.Eat("<=")) {
    return Fail(why, "expected [groups,devices]<= and a device grid");
  }
  if (!ParseIotaOrder(scan, groups.order, why)) return false;
  groups.groups = dims[0];
  groups.group_size = dims[1];
  const auto total = CheckedProduct(dims);
  if (total && total == CheckedProduct(groups.order.reshape)) return true;
  scan.MarkContradiction();
  return Fail(why, "the groups and the device grid have different sizes");
}

bool ParseOverMesh(Scanner& scan, ReplicaGroups& groups, std::string* why) {
  groups.kind = GroupsKind::kMesh;
  return ParseMesh(scan, groups.mesh, why) && ParseAxisRefs(scan, groups.mesh, groups.axes, why);
}

std::vector<std::vector<int64_t>> Split(std::span<const int64_t> devices, size_t group_size) {
  std::vector<std::vector<int64_t>> out;
  if (group_size == 0) return out;
  for (size_t i = 0; i + group_size <= devices.size(); i += group_size) {
    const auto group = devices.subspan(i, group_size);
    out.emplace_back(group.begin(), group.end());
  }
  return out;
}

// The mesh as a finer grid in which every axis reference is a separate dimension.
struct FineGrid {
  std::vector<int64_t> dims;
  std::vector<int64_t> grouped;  // the dimension of each reference
};

std::optional<FineGrid> Refine(const Mesh& mesh, std::span<const AxisRef> refs) {
  FineGrid grid;
  grid.grouped.assign(refs.size(), -1);
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
    std::vector<size_t> here;
    for (size_t i = 0; i < refs.size(); ++i) {
      if (refs[i].axis == static_cast<int64_t>(axis)) here.push_back(i);
    }
    std::sort(here.begin(), here.end(),
              [&](size_t a, size_t b) { return refs[a].pre_size < refs[b].pre_size; });
    const int64_t full = mesh.axes[axis].size;
    int64_t covered = 1;
    const auto pad_to = [&](int64_t wanted) {
      if (wanted <= 0 || covered == 0 || wanted % covered != 0) return false;
      if (wanted != covered) grid.dims.push_back(wanted / covered);
      covered = wanted;
      return true;
    };
    for (const size_t i : here) {
      if (!pad_to(refs[i].is_part() ? refs[i].pre_size : 1)) return std::nullopt;
      const int64_t size = refs[i].is_part() ? refs[i].size : full;
      grid.grouped[i] = static_cast<int64_t>(grid.dims.size());
      grid.dims.push_back(size);
      if (__builtin_mul_overflow(covered, size, &covered)) return std::nullopt;
    }
    if (!pad_to(full)) return std::nullopt;
  }
  return grid;
}

std::optional<std::vector<std::vector<int64_t>>> ExpandOverMesh(const ReplicaGroups& groups,
                                                                size_t max_ids) {
  if (groups.mesh.only_device) return std::vector<std::vector<int64_t>>{{*groups.mesh.only_device}};
  if (groups.mesh.axes.empty()) return std::vector<std::vector<int64_t>>{};
  const auto devices = ExpandOrder(groups.mesh.order, max_ids);
  const auto grid = devices ? Refine(groups.mesh, groups.axes) : std::nullopt;
  if (!grid) return std::nullopt;
  std::vector<int64_t> permutation;
  for (size_t i = 0; i < grid->dims.size(); ++i) {
    const auto dim = static_cast<int64_t>(i);
    if (std::find(grid->grouped.begin(), grid->grouped.end(), dim) == grid->grouped.end()) {
      permutation.push_back(dim);
    }
  }
  int64_t group_size = 1;
  for (const int64_t dim : grid->grouped) {
    permutation.push_back(dim);
    group_size *= grid->dims[static_cast<size_t>(dim)];
  }
  return Split(TransposeGrid(*devices, grid->dims, permutation), static_cast<size_t>(group_size));
}

}  // namespace

std::optional<ReplicaGroups> ParseReplicaGroups(std::string_view text, std::string* why,
                                                bool* contradicts) {
  Scanner scan(text);
  ReplicaGroups groups;
  bool ok = false;
  if (AtMesh(scan)) {
    ok = ParseOverMesh(scan, groups, why);
  } else if (scan.Peek() == '[') {
    ok = ParseIota(scan, groups, why);
  } else if (scan.Peek() == '{') {
    ok = ParseLists(scan, groups, why);
  } else {
    Fail(why, "expected {, [ or mesh at the start of replica groups");
  }
  if (ok && !scan.AtEnd()) ok = Fail(why, "unexpected text after the replica groups");
  if (contradicts != nullptr) *contradicts = scan.contradicts();
  if (!ok) return std::nullopt;
  return groups;
}

void PrintReplicaGroups(const ReplicaGroups& groups, TextBuffer& out) {
  switch (groups.kind) {
    case GroupsKind::kLists:
      out << '{';
      for (size_t i = 0; i < groups.lists.size(); ++i) {
        out << (i == 0 ? "{" : ",{");
        PrintIntList(groups.lists[i], out);
        out << '}';
      }
      out << '}';
      break;
    case GroupsKind::kIota:
      out << '[' << groups.groups << ',' << groups.group_size << "]<=";
      PrintDeviceOrder(groups.order, out);
      break;
    case GroupsKind::kMesh:
      PrintMesh(groups.mesh, out);
      out << ' ';
      PrintAxisRefs(groups.mesh, groups.axes, ",", out);
      break;
  }
}

std::string CanonicalGroupsText(std::string_view text) {
  auto groups = ParseReplicaGroups(text);
  if (!groups) return std::string(text);
  SimplifyOrder(groups->order);
  SimplifyOrder(groups->mesh.order);
  TextBuffer out;
  PrintReplicaGroups(*groups, out);
  return out.str();
}

std::optional<std::vector<std::vector<int64_t>>> ExpandReplicaGroups(const ReplicaGroups& groups,
                                                                     size_t max_ids) {
  switch (groups.kind) {
    case GroupsKind::kLists: {
      size_t total = 0;
      for (const auto& list : groups.lists) total += list.size();
      if (total > max_ids) return std::nullopt;
      return groups.lists;
    }
    case GroupsKind::kIota: {
      const auto devices = ExpandOrder(groups.order, max_ids);
      if (!devices || groups.group_size < 0) return std::nullopt;
      return Split(*devices, static_cast<size_t>(groups.group_size));
    }
    case GroupsKind::kMesh: return ExpandOverMesh(groups, max_ids);
  }
  return std::nullopt;
}

std::string GroupListsText(std::string_view text, size_t max_ids) {
  const auto groups = ParseReplicaGroups(text);
  auto lists = groups ? ExpandReplicaGroups(*groups, max_ids) : std::nullopt;
  // {} means all devices.
  if (!lists || lists->empty()) return CanonicalGroupsText(text);
  ReplicaGroups listed;
  listed.lists = std::move(*lists);
  TextBuffer out;
  PrintReplicaGroups(listed, out);
  return out.str();
}

}  // namespace halo

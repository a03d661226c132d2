// Copies that begin at the same place of a node are alike, so only one of each kind is looked at:
// their number does not depend on the number of copies. Classes begin as one and are split until no
// two devices of a class differ in what their collectives are and in the classes of their partners.
#include "halo/cost/scale/job_classes.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "halo/base/capped.h"
#include "halo/ir/sharding/replica_groups.h"

namespace halo {
namespace {

constexpr int64_t kMaxDevices = int64_t{1} << 21;
constexpr size_t kMaxRows = size_t{1} << 26;  // of all tables

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdULL;
  return hash ^ (hash >> 33);
}

}  // namespace

int64_t NodesAcrossCopies(const DeviceLayout& layout) {
  if (layout.per_node <= 0) return 1;
  if (layout.program >= layout.per_node) return layout.copies;
  // From copy to copy, a device moves by less than a node.
  int64_t nodes = 1;
  for (int64_t device = 0; device < layout.program; ++device) {
    const int64_t last = device + (layout.copies - 1) * layout.program;
    nodes = std::max(nodes, layout.NodeOf(last) - layout.NodeOf(device) + 1);
  }
  return nodes;
}

int64_t ProgramDevices(const Module& module) {
  return std::max<int64_t>(MultiplyCapped(module.IntOr(module.attrs, AttrKey::k_replica_count, 1),
                                          module.IntOr(module.attrs, AttrKey::k_num_partitions, 1)),
                           1);
}

JobClasses::JobClasses(const Module& module, const std::vector<InstId>& collectives,
                       const DeviceLayout& layout)
    : layout_(layout) {
  // Copy c begins at device c * program; after this many copies that is the begin of a node again.
  const int64_t period =
      layout.per_node > 0 ? layout.per_node / std::gcd(layout.per_node, layout.program) : 1;
  layout_.copies = std::min(layout.copies, period);
  if (layout.program > kMaxDevices || layout_.copies > kMaxDevices ||
      layout_.total() > kMaxDevices) {
    problem_ = "more than 2 million different devices";
    return;
  }
  for (int64_t copy = 0; copy < layout_.copies; ++copy) {
    alike_.push_back((layout.copies - copy + layout_.copies - 1) / layout_.copies);
  }
  for (const InstId id : collectives) {
    const Inst& inst = module.inst(id);
    const uint64_t key = KeyOf(module, inst);
    const auto known = by_key_.find(key);
    if (known != by_key_.end()) {
      by_inst_[id.value] = known->second;
      continue;
    }
    if ((tables_.size() + 1) * static_cast<size_t>(layout.total()) > kMaxRows) {
      problem_ = "too many different groups of devices";
      return;
    }
    by_key_[key] = by_inst_[id.value] = static_cast<uint32_t>(tables_.size());
    AddTable(module, inst);
  }
  for (Table& table : tables_) CountNodes(table);
  Refine();
  DescribeParts();
}

uint64_t JobClasses::KeyOf(const Module& module, const Inst& inst) {
  const Attr* pairs = module.Find(inst, AttrKey::k_source_target_pairs);
  if (pairs != nullptr) return (uint64_t{1} << 32) + pairs->value;
  const Attr* text = module.Find(inst, AttrKey::k_replica_groups);
  return text != nullptr ? (uint64_t{2} << 32) + text->value : 0;
}

void JobClasses::AddTable(const Module& module, const Inst& inst) {
  const auto total = static_cast<size_t>(layout_.total());
  const auto program = static_cast<size_t>(layout_.program);
  Table table;
  const Attr* pairs = module.Find(inst, AttrKey::k_source_target_pairs);
  if (pairs != nullptr) {
    table.is_pairs = true;
    table.source.assign(total, -1);
    table.target.assign(total, -1);
    const std::span<const int64_t> list =
        pairs->form == AttrForm::kNested ? module.list(pairs->value) : std::span<const int64_t>();
    // [count, 2, source, target, 2, source, target, ...]
    for (size_t i = 1; i + 2 < list.size() && list[i] == 2; i += 3) {
      const int64_t from = list[i + 1], to = list[i + 2];
      if (from < 0 || to < 0 || from >= layout_.program || to >= layout_.program) continue;
      for (size_t base = 0; base < total; base += program) {
        table.target[base + static_cast<size_t>(from)] =
            static_cast<int32_t>(base) + static_cast<int32_t>(to);
        table.source[base + static_cast<size_t>(to)] =
            static_cast<int32_t>(base) + static_cast<int32_t>(from);
      }
    }
    tables_.push_back(std::move(table));
    return;
  }
  // Without groups, all devices of a copy are one.
  std::vector<uint32_t> of_one(program, 0);
  uint32_t groups = 1;
  const std::string_view text = module.TextOr(inst.attrs, AttrKey::k_replica_groups);
  const auto parsed = ParseReplicaGroups(text);
  const auto lists =
      parsed ? ExpandReplicaGroups(*parsed, static_cast<size_t>(kMaxDevices)) : std::nullopt;
  if (lists && !lists->empty() && !lists->front().empty()) {
    groups = static_cast<uint32_t>(lists->size());
    std::vector<bool> is_listed(program, false);
    for (size_t g = 0; g < lists->size(); ++g) {
      for (const int64_t device : (*lists)[g]) {
        if (device < 0 || device >= layout_.program) continue;
        of_one[static_cast<size_t>(device)] = static_cast<uint32_t>(g);
        is_listed[static_cast<size_t>(device)] = true;
      }
    }
    for (size_t device = 0; device < program; ++device) {
      if (!is_listed[device]) of_one[device] = groups++;
    }
  }
  table.group.resize(total);
  for (size_t device = 0; device < total; ++device) {
    table.group[device] =
        of_one[device % program] + groups * static_cast<uint32_t>(device / program);
  }
  tables_.push_back(std::move(table));
}

void JobClasses::CountNodes(Table& table) const {
  const auto total = static_cast<size_t>(layout_.total());
  table.nodes.assign(total, 1);
  if (table.is_pairs) {
    for (size_t device = 0; device < total; ++device) {
      const int64_t node = layout_.NodeOf(static_cast<int64_t>(device));
      for (const int32_t other : {table.source[device], table.target[device]}) {
        if (other >= 0 && layout_.NodeOf(other) != node) table.nodes[device] = 2;
      }
    }
    return;
  }
  // Devices are visited in order, so the nodes of a group never come back.
  const uint32_t groups = 1 + *std::max_element(table.group.begin(), table.group.end());
  std::vector<int64_t> last(groups, -1), nodes(groups, 0);
  for (size_t device = 0; device < total; ++device) {
    const uint32_t group = table.group[device];
    const int64_t node = layout_.NodeOf(static_cast<int64_t>(device));
    if (node != last[group]) ++nodes[group];
    last[group] = node;
  }
  for (size_t device = 0; device < total; ++device) {
    table.nodes[device] = nodes[table.group[device]];
  }
}

std::vector<uint64_t> JobClasses::PartnerSets(const Table& table) const {
  const size_t total = class_of_.size();
  std::vector<uint64_t> sets(total);
  if (table.is_pairs) {
    for (size_t device = 0; device < total; ++device) {
      const int32_t source = table.source[device], target = table.target[device];
      const uint64_t from = source < 0 ? 0 : 1 + class_of_[static_cast<size_t>(source)];
      const uint64_t to = target < 0 ? 0 : 1 + class_of_[static_cast<size_t>(target)];
      sets[device] = Mix(from, to);
    }
    return sets;
  }
  // The classes of a group: each counts once.
  std::vector<uint64_t> members(total);
  for (size_t device = 0; device < total; ++device) {
    members[device] = uint64_t{table.group[device]} << 32 | class_of_[device];
  }
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<uint64_t> of_group(1 + (members.back() >> 32), 0);
  for (const uint64_t member : members) {
    uint64_t& hash = of_group[member >> 32];
    hash = Mix(hash, 1 + (member & UINT32_MAX));
  }
  for (size_t device = 0; device < total; ++device) sets[device] = of_group[table.group[device]];
  return sets;
}

void JobClasses::Refine() {
  const auto total = static_cast<size_t>(layout_.total());
  class_of_.assign(total, 0);
  sizes_.assign(1, 0);
  while (true) {
    std::vector<uint64_t> signature(class_of_.begin(), class_of_.end());
    for (const Table& table : tables_) {
      // One class has one set of partners everywhere, but for pairs.
      const bool all_alike = sizes_.size() == 1 && !table.is_pairs;
      const std::vector<uint64_t> sets = all_alike ? std::vector<uint64_t>() : PartnerSets(table);
      for (size_t device = 0; device < total; ++device) {
        signature[device] = Mix(signature[device], static_cast<uint64_t>(table.nodes[device]));
        if (!all_alike) signature[device] = Mix(signature[device], sets[device]);
      }
    }
    std::unordered_map<uint64_t, uint32_t> numbers;
    std::vector<int64_t> sizes;
    for (size_t device = 0; device < total; ++device) {
      const auto [found, fresh] =
          numbers.try_emplace(signature[device], static_cast<uint32_t>(sizes.size()));
      if (fresh) sizes.push_back(0);
      sizes[found->second] += alike_[device / static_cast<size_t>(layout_.program)];
      class_of_[device] = found->second;
    }
    const bool is_stable = sizes.size() == sizes_.size();
    sizes_ = std::move(sizes);
    if (is_stable) return;
  }
}

void JobClasses::DescribeParts() {
  const auto total = static_cast<size_t>(layout_.total());
  std::vector<size_t> first(sizes_.size(), total);  // a device of each class
  for (size_t device = total; device-- > 0;) first[class_of_[device]] = device;
  for (const Table& table : tables_) {
    std::vector<CollectivePart> parts(sizes_.size());
    std::unordered_map<uint32_t, uint32_t> wanted;  // groups of the first devices
    for (uint32_t each = 0; each < sizes_.size(); ++each) {
      CollectivePart& part = parts[each];
      part.nodes = table.nodes[first[each]];
      if (!table.is_pairs) {
        wanted.emplace(table.group[first[each]], each);
        continue;
      }
      const int32_t source = table.source[first[each]], target = table.target[first[each]];
      part.takes_part = source >= 0 || target >= 0;
      part.partners.push_back(each);
      for (const int32_t other : {source, target}) {
        if (other >= 0) part.partners.push_back(class_of_[static_cast<size_t>(other)]);
      }
    }
    if (!table.is_pairs) {
      std::unordered_map<uint32_t, std::vector<uint32_t>> members;
      for (size_t device = 0; device < total; ++device) {
        if (!wanted.contains(table.group[device])) continue;
        std::vector<uint32_t>& list = members[table.group[device]];
        if (list.empty() || list.back() != class_of_[device]) list.push_back(class_of_[device]);
      }
      for (uint32_t each = 0; each < sizes_.size(); ++each) {
        parts[each].partners = members[table.group[first[each]]];
      }
    }
    for (CollectivePart& part : parts) {
      std::sort(part.partners.begin(), part.partners.end());
      part.partners.erase(std::unique(part.partners.begin(), part.partners.end()),
                          part.partners.end());
    }
    parts_.push_back(std::move(parts));
  }
}

}  // namespace halo

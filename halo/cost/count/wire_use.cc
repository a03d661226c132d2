// Groups are parsed once for each distinct text. A module has a handful of them.
#include "halo/cost/count/wire_use.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "halo/base/capped.h"
#include "halo/cost/count/touched.h"
#include "halo/ir/sharding/replica_groups.h"

namespace halo {
namespace {

constexpr size_t kMaxIds = size_t{1} << 20;
constexpr size_t kMaxListed = 4096;

WireGroup GroupFromPairs(const Module& module, const Attr& pairs) {
  WireGroup group;
  group.is_pairs = true;
  if (pairs.form != AttrForm::kNested) return group;
  const std::span<const int64_t> list = module.list(pairs.value);
  // [count, 2, source, target, 2, source, target, ...]
  for (size_t i = 1; i + 2 < list.size() && list[i] == 2; i += 3) {
    if (group.devices.size() < kMaxListed) {
      group.devices.push_back(list[i + 1]);
      group.devices.push_back(list[i + 2]);
    }
    ++group.size;
  }
  group.size = std::max<int64_t>(group.size - 1, 1);
  return group;
}

WireGroup EveryDevice(int64_t devices) {
  WireGroup group;
  group.size = std::max<int64_t>(devices, 1);
  for (int64_t i = 0; i < std::min<int64_t>(group.size, kMaxListed); ++i) {
    group.devices.push_back(i);
  }
  return group;
}

WireGroup GroupFromText(std::string_view text, int64_t devices) {
  const auto parsed = ParseReplicaGroups(text);
  if (!parsed) return EveryDevice(devices);
  const auto lists = ExpandReplicaGroups(*parsed, kMaxIds);
  if (!lists) {
    WireGroup group = EveryDevice(parsed->group_size);
    group.groups = std::max<int64_t>(parsed->groups, 1);
    return group;
  }
  if (lists->empty() || lists->front().empty()) return EveryDevice(devices);
  WireGroup group;
  const std::vector<int64_t>& first = lists->front();
  group.size = static_cast<int64_t>(first.size());
  group.groups = static_cast<int64_t>(lists->size());
  group.devices.assign(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(
                                                          std::min(first.size(), kMaxListed)));
  return group;
}

std::vector<double> BytesOfOperands(const Module& module, const Inst& inst) {
  std::vector<double> bytes;
  for (const InstId operand : module.operands_of(inst)) {
    if (operand.valid()) bytes.push_back(BytesOfShape(module.shapes, module.inst(operand).shape));
  }
  return bytes;
}

double ResultBytes(const Module& module, const Inst& inst) {
  const std::span<const ShapeId> parts = module.shapes.elements(inst.shape);
  const OpFlow flow = FlowOf(inst.opcode);
  const bool has_operands = flow == OpFlow::kGatherStart || flow == OpFlow::kPermuteStart;
  return BytesOfShape(module.shapes, has_operands && parts.size() > 1 ? parts[1] : inst.shape);
}

}  // namespace

int64_t WireGroup::Nodes(int64_t per_node) const {
  if (per_node <= 0 || devices.empty()) return 1;
  if (is_pairs) {
    for (size_t i = 0; i + 1 < devices.size(); i += 2) {
      if (devices[i] / per_node != devices[i + 1] / per_node) return 2;
    }
    return 1;
  }
  std::set<int64_t> nodes;
  for (const int64_t device : devices) nodes.insert(device / per_node);
  return static_cast<int64_t>(nodes.size());
}

WireCounter::WireCounter(const Module& module)
    : module_(module),
      devices_(MultiplyCapped(module.IntOr(module.attrs, AttrKey::k_replica_count, 1),
                              module.IntOr(module.attrs, AttrKey::k_num_partitions, 1))) {}

const WireGroup& WireCounter::GroupOf(const Inst& inst) {
  const Attr* pairs = module_.Find(inst, AttrKey::k_source_target_pairs);
  const Attr* text = module_.Find(inst, AttrKey::k_replica_groups);
  const uint64_t key = pairs != nullptr  ? (uint64_t{1} << 32) + pairs->value
                       : text != nullptr ? (uint64_t{2} << 32) + text->value
                                         : 0;
  const auto [found, fresh] = groups_.try_emplace(key);
  if (fresh) {
    found->second = pairs != nullptr  ? GroupFromPairs(module_, *pairs)
                    : text != nullptr ? GroupFromText(module_.text(StrId(text->value)), devices_)
                                      : EveryDevice(devices_);
  }
  return found->second;
}

double WireCounter::SentBytes(CollectiveFamily family, double payload, int64_t size) {
  const auto n = static_cast<double>(std::max<int64_t>(size, 1));
  const double others = (n - 1) / n;
  switch (family) {
    case CollectiveFamily::kNone: return 0;
    case CollectiveFamily::kAllReduce: return 2 * others * payload;
    case CollectiveFamily::kAllGather:
    case CollectiveFamily::kReduceScatter:
    case CollectiveFamily::kAllToAll:
    case CollectiveFamily::kRaggedAllToAll: return others * payload;
    case CollectiveFamily::kBroadcast:
    case CollectiveFamily::kReduce: return size > 1 ? payload : 0;
    case CollectiveFamily::kPermute: return payload;
  }
  return 0;
}

WireUse WireCounter::Of(const Inst& inst) {
  const OpProperties& op = PropertiesOf(inst.opcode);
  WireUse use;
  // The second half of a pair has a partner and no synchronous form.
  const bool is_done = op.partner != Opcode::kUnknown && op.sync == Opcode::kUnknown;
  if (op.group == CollectiveFamily::kNone || is_done) return use;
  use.family = op.group;
  use.group = &GroupOf(inst);
  use.shares = BytesOfOperands(module_, inst);
  const double operands = std::accumulate(use.shares.begin(), use.shares.end(), 0.0);
  const double results = ResultBytes(module_, inst);
  if (use.shares.size() < 2 || operands <= 0) use.shares.clear();
  for (double& share : use.shares) share /= operands;
  switch (op.group) {
    case CollectiveFamily::kReduceScatter: use.payload = operands; break;
    case CollectiveFamily::kAllReduce:
    case CollectiveFamily::kAllGather: use.payload = results; break;
    case CollectiveFamily::kRaggedAllToAll: use.payload = std::min(operands, results); break;
    default: use.payload = std::max(results, 0.0);
  }
  use.sent = SentBytes(use.family, use.payload, use.group->size);
  return use;
}

}  // namespace halo

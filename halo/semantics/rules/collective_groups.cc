// Derives the groups of a collective from the text that the module stores.
#include "halo/semantics/rules/collective_groups.h"

#include "halo/ir/sharding/replica_groups.h"

namespace halo {
namespace {

// Groups with more devices than this are not expanded; only their size is known.
constexpr size_t kMaxIds = 1 << 16;

std::optional<ReplicaGroups> Parse(const RuleContext& op) {
  if (!op.has(AttrKey::k_replica_groups)) return std::nullopt;
  return ParseReplicaGroups(op.text_or(AttrKey::k_replica_groups));
}

// Returns how many ids the groups must name; 1 if the module does not specify it.
int64_t Participants(const RuleContext& op, GroupMode mode) {
  const int64_t replicas = op.facts().replica_count();
  const int64_t partitions = op.facts().num_partitions();
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition: return replicas;
    case GroupMode::kCrossPartition: return partitions;
    case GroupMode::kFlattenedId: break;
  }
  int64_t devices = 0;
  return __builtin_mul_overflow(replicas, partitions, &devices) ? 1 : devices;
}

bool NeedMembers(RuleContext& op, const std::vector<std::vector<int64_t>>& groups, size_t count) {
  std::vector<bool> seen(count);
  for (const auto& group : groups) {
    if (group.empty()) {
      op.Report(Rule::kReplicaGroupEmpty, "a replica group is empty");
      return false;
    }
    for (const int64_t id : group) {
      if (id < 0 || id >= static_cast<int64_t>(count)) {
        op.Report(Rule::kReplicaGroupRange, "replica ", id, " is not in [0, ", count, ")");
        return false;
      }
      if (seen[static_cast<size_t>(id)]) {
        op.Report(Rule::kReplicaGroupTwice, "replica ", id, " is listed more than once");
        return false;
      }
      seen[static_cast<size_t>(id)] = true;
    }
  }
  return true;
}

}  // namespace

std::optional<GroupMode> WrittenGroupMode(const RuleContext& op) {
  // Channels are numbered from 1; any other value means no channel.
  const bool channel = op.int_or(AttrKey::k_channel_id, 0) > 0;
  if (!channel && MayHave(op.opcode(), AttrKey::k_use_global_device_ids) &&
      op.bool_or(AttrKey::k_use_global_device_ids, false)) {
    return std::nullopt;
  }
  return GroupModeOf(op.module(), op.inst(), op.opcode());
}

std::optional<std::vector<std::vector<int64_t>>> WrittenGroups(const RuleContext& op) {
  const auto parsed = Parse(op);
  if (!parsed) return std::nullopt;
  return ExpandReplicaGroups(*parsed, kMaxIds);
}

int64_t GroupSize(const RuleContext& op, GroupMode mode) {
  const auto parsed = Parse(op);
  int64_t size = 1;
  if (parsed && parsed->kind == GroupsKind::kIota) {
    size = parsed->group_size;
  } else if (const auto groups = WrittenGroups(op); groups && !groups->empty()) {
    size = static_cast<int64_t>(groups->front().size());
  } else if (mode != GroupMode::kFlattenedId) {
    size = Participants(op, mode);
  }
  if (mode != GroupMode::kCrossReplicaAndPartition) return size;
  int64_t all = 0;
  return __builtin_mul_overflow(size, op.facts().num_partitions(), &all) ? 1 : all;
}

bool NeedGroups(RuleContext& op, GroupMode mode, bool uniform) {
  const auto groups = WrittenGroups(op);
  const auto parsed = Parse(op);
  if (parsed && parsed->kind == GroupsKind::kMesh && groups &&
      (groups->empty() || groups->front().size() < 2)) {
    op.Report(Rule::kReplicaGroupMesh, "replica_groups=", op.text_or(AttrKey::k_replica_groups),
              " leaves every device alone");
    return false;
  }
  if (!groups && op.has(AttrKey::k_replica_groups)) return true;
  if (!groups || groups->empty()) {
    if (mode != GroupMode::kFlattenedId) return true;
    op.Report(Rule::kReplicaGroupsMissing,
              "use_global_device_ids needs replica_groups that name the devices");
    return false;
  }
  size_t count = 0;
  for (const auto& group : *groups) count += group.size();
  if (!NeedMembers(op, *groups, count)) return false;
  const int64_t expected = Participants(op, mode);
  if (expected != 1 && static_cast<int64_t>(count) != expected) {
    op.Report(Rule::kReplicaGroupsCover, "the groups name ", count,
              " participants, the module has ", expected);
    return false;
  }
  for (const auto& group : *groups) {
    if (!uniform || group.size() == groups->front().size()) continue;
    op.Report(Rule::kReplicaGroupsUniform, "one group has ", groups->front().size(),
              " members, another ", group.size());
    return false;
  }
  return true;
}

}  // namespace halo

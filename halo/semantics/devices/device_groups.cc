// Groups are expanded to device numbers, with every device in exactly one group.
#include "halo/semantics/devices/device_groups.h"

#include <optional>
#include <string>
#include <utility>

#include "halo/ir/ir_diagnostics.h"
#include "halo/ir/sharding/replica_groups.h"
#include "halo/semantics/devices/manual_borders.h"

namespace halo {
namespace {

constexpr size_t kMaxGroupIds = size_t{1} << 22;

using Groups = std::vector<std::vector<int64_t>>;

std::optional<GroupMode> ModeFromText(std::string_view text) {
  if (text == "cross_replica") return GroupMode::kCrossReplica;
  if (text == "cross_partition") return GroupMode::kCrossPartition;
  if (text == "cross_replica_and_partition") return GroupMode::kCrossReplicaAndPartition;
  if (text == "flattened_id") return GroupMode::kFlattenedId;
  return std::nullopt;
}

// One group of everybody, in the numbers that the mode counts with.
std::vector<int64_t> Everybody(GroupMode mode, const DeviceGrid& grid) {
  const int64_t count = mode == GroupMode::kCrossPartition ? grid.partitions
                        : mode == GroupMode::kFlattenedId  ? grid.count()
                                                           : grid.replicas;
  std::vector<int64_t> ids(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) ids[static_cast<size_t>(i)] = i;
  return ids;
}

// Collects groups of devices; those that do not exist or stand in a group already are left out.
class GroupBuilder {
 public:
  explicit GroupBuilder(const DeviceGrid& grid)
      : grid_(grid), taken_(static_cast<size_t>(grid.count())) {}

  void Add(int64_t replica, int64_t partition) {
    if (replica < 0 || replica >= grid_.replicas) return;
    if (partition < 0 || partition >= grid_.partitions) return;
    const int64_t device = replica * grid_.partitions + partition;
    if (taken_[static_cast<size_t>(device)]) return;
    taken_[static_cast<size_t>(device)] = true;
    group_.push_back(device);
  }
  void EndGroup() {
    if (!group_.empty()) groups_.push_back(std::exchange(group_, {}));
  }
  Groups Finish() {
    for (int64_t device = 0; device < grid_.count(); ++device) {
      if (!taken_[static_cast<size_t>(device)]) groups_.push_back({device});
    }
    return std::move(groups_);
  }

 private:
  const DeviceGrid& grid_;
  std::vector<bool> taken_;
  std::vector<int64_t> group_;
  Groups groups_;
};

void AddGroup(const std::vector<int64_t>& ids, GroupMode mode, const DeviceGrid& grid,
              GroupBuilder& builder) {
  switch (mode) {
    case GroupMode::kCrossReplica:
      for (int64_t partition = 0; partition < grid.partitions; ++partition) {
        for (const int64_t replica : ids) builder.Add(replica, partition);
        builder.EndGroup();
      }
      return;
    case GroupMode::kCrossPartition:
      for (int64_t replica = 0; replica < grid.replicas; ++replica) {
        for (const int64_t partition : ids) builder.Add(replica, partition);
        builder.EndGroup();
      }
      return;
    case GroupMode::kCrossReplicaAndPartition:
      for (const int64_t replica : ids) {
        for (int64_t partition = 0; partition < grid.partitions; ++partition) {
          builder.Add(replica, partition);
        }
      }
      return builder.EndGroup();
    case GroupMode::kFlattenedId:
      for (const int64_t id : ids) {
        if (id >= 0) builder.Add(id / grid.partitions, id % grid.partitions);
      }
      return builder.EndGroup();
  }
}

bool MovesAlongPairs(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

}  // namespace

GroupMode GroupModeOf(const Module& module, const Inst& inst, Opcode opcode) {
  if (LeavesManualRegion(module, inst)) return GroupMode::kCrossPartition;
  if (const auto mode = ModeFromText(module.TextOr(inst.attrs, AttrKey::k_mode))) return *mode;
  if (module.IntOr(inst.attrs, AttrKey::k_channel_id, 0) <= 0) return GroupMode::kCrossReplica;
  if (!MayHave(opcode, AttrKey::k_use_global_device_ids)) return GroupMode::kCrossPartition;
  return module.BoolOr(inst.attrs, AttrKey::k_use_global_device_ids, false)
             ? GroupMode::kFlattenedId
             : GroupMode::kCrossReplicaAndPartition;
}

Result<Groups> GroupsOf(const Module& module, InstId id, const DeviceGrid& grid) {
  const Inst& inst = module.inst(id);
  const Opcode opcode = (inst.flags & kInstSugar) != 0 ? inst.wrapped : inst.opcode;
  const GroupMode mode = GroupModeOf(module, inst, opcode);
  GroupBuilder builder(grid);
  Groups listed;
  const std::string_view text = module.TextOr(inst.attrs, AttrKey::k_replica_groups);
  if (!text.empty() && !MovesAlongPairs(opcode)) {
    std::string why;
    const std::optional<ReplicaGroups> parsed = ParseReplicaGroups(text, &why);
    std::optional<Groups> expanded;
    if (parsed) expanded = ExpandReplicaGroups(*parsed, kMaxGroupIds);
    if (!expanded) {
      return MakeBinaryDiagnostic(diag::kBadReplicaGroups, 0,
                                  "instruction %" + std::string(module.name_of(inst)) + ": " +
                                      (why.empty() ? "its replica groups are too many" : why));
    }
    listed = *std::move(expanded);
  }
  if (listed.empty()) listed.push_back(Everybody(mode, grid));
  for (const std::vector<int64_t>& ids : listed) AddGroup(ids, mode, grid, builder);
  return builder.Finish();
}

}  // namespace halo

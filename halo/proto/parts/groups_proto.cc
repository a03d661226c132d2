// Reads and writes replica groups in the three messages that hold them.
#include "halo/proto/parts/groups_proto.h"

#include <array>

#include "halo/proto/parts/mesh_proto.h"
#include "halo/proto/wire/fields.h"

namespace halo {

std::optional<ReplicaGroups> ReadListedGroups(const std::vector<std::string_view>& lists) {
  ReplicaGroups groups;
  groups.lists.reserve(lists.size());
  for (const std::string_view list : lists) {
    auto& ids = groups.lists.emplace_back();
    WireReader reader(list);
    while (reader.Next()) {
      if (reader.field() == pb::ReplicaGroup::k_replica_ids) reader.Append(ids);
    }
    if (!reader.ok()) return std::nullopt;
  }
  return groups;
}

std::optional<ReplicaGroups> ReadIotaGroups(std::string_view proto) {
  using pb::IotaReplicaGroupListProto;
  ReplicaGroups groups;
  groups.kind = GroupsKind::kIota;
  WireReader reader(proto);
  while (reader.Next()) {
    switch (reader.field()) {
      case IotaReplicaGroupListProto::k_num_replica_groups: reader.Get(groups.groups); break;
      case IotaReplicaGroupListProto::k_num_devices_per_group: reader.Get(groups.group_size); break;
      case IotaReplicaGroupListProto::k_iota_reshape_dims:
        reader.Append(groups.order.reshape);
        break;
      case IotaReplicaGroupListProto::k_iota_transpose_perm:
        reader.Append(groups.order.transpose);
        break;
      default: break;
    }
  }
  const auto total = CheckedProduct(std::array{groups.groups, groups.group_size});
  if (!reader.ok() || !IsIota(groups.order) || !total ||
      CheckedProduct(groups.order.reshape) != total) {
    return std::nullopt;
  }
  return groups;
}

std::optional<ReplicaGroups> ReadMeshGroups(std::string_view proto) {
  ReplicaGroups groups;
  groups.kind = GroupsKind::kMesh;
  std::string_view mesh;
  std::vector<std::string_view> axes;
  WireReader reader(proto);
  while (reader.Next()) {
    if (reader.field() == pb::MeshAxesReplicaGroupListProto::k_mesh) reader.Get(mesh);
    if (reader.field() == pb::MeshAxesReplicaGroupListProto::k_axes) reader.Append(axes);
  }
  if (!reader.ok() || !ReadMesh(mesh, groups.mesh) ||
      !ReadAxisRefs(axes, groups.mesh, groups.axes)) {
    return std::nullopt;
  }
  return groups;
}

void WriteGroupFields(const ReplicaGroups& groups, WireWriter& out) {
  using pb::HloInstructionProto;
  switch (groups.kind) {
    case GroupsKind::kLists: {
      const size_t mark = out.Begin(HloInstructionProto::k_collective_device_list);
      for (const auto& list : groups.lists) {
        const size_t inner = out.Begin(pb::CollectiveDeviceListProto::k_replica_groups);
        out.PackedInts(pb::ReplicaGroup::k_replica_ids, list);
        out.End(inner);
      }
      out.End(mark);
      break;
    }
    case GroupsKind::kIota: {
      const size_t mark = out.Begin(HloInstructionProto::k_iota_collective_device_list);
      out.IntIf(pb::IotaReplicaGroupListProto::k_num_replica_groups, groups.groups);
      out.IntIf(pb::IotaReplicaGroupListProto::k_num_devices_per_group, groups.group_size);
      out.PackedInts(pb::IotaReplicaGroupListProto::k_iota_reshape_dims, groups.order.reshape);
      out.PackedInts(pb::IotaReplicaGroupListProto::k_iota_transpose_perm, groups.order.transpose);
      out.End(mark);
      break;
    }
    case GroupsKind::kMesh: {
      const size_t mark = out.Begin(HloInstructionProto::k_mesh_axes_replica_group_list);
      WriteMesh(pb::MeshAxesReplicaGroupListProto::k_mesh, groups.mesh, out);
      WriteAxisRefs(pb::MeshAxesReplicaGroupListProto::k_axes, groups.axes, out);
      out.End(mark);
      break;
    }
  }
}

}  // namespace halo

// Converts replica groups between their protos and halo/ir's struct. halo/ir handles their text.
#ifndef HALO_PROTO_PARTS_GROUPS_PROTO_H_
#define HALO_PROTO_PARTS_GROUPS_PROTO_H_

#include <optional>
#include <string_view>
#include <vector>

#include "halo/ir/sharding/replica_groups.h"
#include "halo/proto/wire/wire.h"

namespace halo {

// The three kinds of groups that an instruction may have; `lists` are ReplicaGroup messages.
// Nullopt if a message is damaged or its numbers are inconsistent.
std::optional<ReplicaGroups> ReadListedGroups(const std::vector<std::string_view>& lists);
std::optional<ReplicaGroups> ReadIotaGroups(std::string_view proto);
std::optional<ReplicaGroups> ReadMeshGroups(std::string_view proto);
// Writes the fields into `out`, an HloInstructionProto.
void WriteGroupFields(const ReplicaGroups& groups, WireWriter& out);

}  // namespace halo

#endif  // HALO_PROTO_PARTS_GROUPS_PROTO_H_

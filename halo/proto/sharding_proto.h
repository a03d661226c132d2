// Shardings, meshes and replica groups between their protos and the structs of halo/ir. Their text
// is halo/ir's business.
#ifndef HALO_PROTO_SHARDING_PROTO_H_
#define HALO_PROTO_SHARDING_PROTO_H_

#include <optional>
#include <string_view>
#include <vector>

#include "halo/ir/replica_groups.h"
#include "halo/ir/sharding.h"
#include "halo/proto/wire.h"

namespace halo {

// Nothing if the message is damaged or describes no sharding.
std::optional<Sharding> ReadOpSharding(std::string_view proto);
// Its canonical text, element by element; `leaves` as for CanonicalShardingText.
bool PrintOpSharding(std::string_view proto, size_t leaves, TextBuffer& out);
// Writes the fields of an OpSharding into `out`.
void WriteOpSharding(const Sharding& sharding, WireWriter& out);

// The three kinds of groups an instruction may have; `lists` are ReplicaGroup messages.
std::optional<ReplicaGroups> ReadListedGroups(const std::vector<std::string_view>& lists);
std::optional<ReplicaGroups> ReadCountingGroups(std::string_view proto);
std::optional<ReplicaGroups> ReadMeshGroups(std::string_view proto);
// Writes the fields into `out`, an HloInstructionProto.
void WriteGroupFields(const ReplicaGroups& groups, WireWriter& out);

}  // namespace halo

#endif  // HALO_PROTO_SHARDING_PROTO_H_

// Which devices participate together in a collective: the three notations of HLO text as one
// struct. A module keeps the groups as text; this file parses them, prints them as XLA does and
// expands them. The verifier checks whether groups suit an op.
#ifndef HALO_IR_SHARDING_REPLICA_GROUPS_H_
#define HALO_IR_SHARDING_REPLICA_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/strings/text_buffer.h"
#include "halo/ir/sharding/device_order.h"
#include "halo/ir/sharding/mesh.h"

namespace halo {

enum class GroupsKind : uint8_t {
  kLists,  // {{0,1},{2,3}}; {} is one group of all devices
  kIota,   // [2,4]<=[8]
  kMesh,   // mesh['x'=2,'y'=2] {'y'}
};

struct ReplicaGroups {
  GroupsKind kind = GroupsKind::kLists;

  std::vector<std::vector<int64_t>> lists;  // kLists

  int64_t groups = 0;  // kIota: number of groups, group size, and device order
  int64_t group_size = 0;
  DeviceOrder order;

  Mesh mesh;  // kMesh: devices that differ only along `axes` form one group
  std::vector<AxisRef> axes;
};

// Nullopt if the text is not a replica group notation. `why`, if given, then says what is wrong,
// and `contradicts` whether the notation is known but its parts do not fit together.
std::optional<ReplicaGroups> ParseReplicaGroups(std::string_view text, std::string* why = nullptr,
                                                bool* contradicts = nullptr);

void PrintReplicaGroups(const ReplicaGroups& groups, TextBuffer& out);

// The text that XLA prints after reading `text`; `text` itself if it cannot be parsed.
std::string CanonicalGroupsText(std::string_view text);

// The devices of each group, in XLA's order; nullopt if that takes more than `max_ids` numbers or
// the axes do not divide the mesh.
std::optional<std::vector<std::vector<int64_t>>> ExpandReplicaGroups(const ReplicaGroups& groups,
                                                                     size_t max_ids);

// One text for all notations of the same groups: their lists. CanonicalGroupsText if they have more
// than `max_ids` devices.
std::string GroupListsText(std::string_view text, size_t max_ids);

}  // namespace halo

#endif  // HALO_IR_SHARDING_REPLICA_GROUPS_H_

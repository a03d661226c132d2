// Shardings that this version does not understand, because a later XLA added a field or a value to
// their messages. They are kept as bytes, inside a text that no XLA prints: {proto="..."}.
#ifndef HALO_PROTO_PARTS_KEPT_SHARDING_H_
#define HALO_PROTO_PARTS_KEPT_SHARDING_H_

#include <optional>
#include <string>
#include <string_view>

namespace halo {

// True if an OpSharding, or a message in it, has a field or an enum value that fields.def does not
// list. Damage does not count.
bool HasUnknownParts(std::string_view op_sharding);

std::string KeptShardingText(std::string_view op_sharding);
// The bytes in such a text; nullopt if it is another text.
std::optional<std::string> KeptShardingBytes(std::string_view text);

}  // namespace halo

#endif  // HALO_PROTO_PARTS_KEPT_SHARDING_H_

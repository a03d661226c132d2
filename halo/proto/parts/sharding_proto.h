// Converts shardings between their proto and halo/ir's struct. halo/ir handles their text.
#ifndef HALO_PROTO_PARTS_SHARDING_PROTO_H_
#define HALO_PROTO_PARTS_SHARDING_PROTO_H_

#include <optional>
#include <string_view>

#include "halo/ir/sharding/sharding.h"
#include "halo/proto/wire/wire.h"

namespace halo {

// Nullopt if the message is damaged or does not describe a sharding.
std::optional<Sharding> ReadOpSharding(std::string_view proto);
// Prints the canonical text, element by element; `leaves` as for CanonicalShardingText.
bool PrintOpSharding(std::string_view proto, size_t leaves, TextBuffer& out);
// Writes the fields of an OpSharding into `out`.
void WriteOpSharding(const Sharding& sharding, WireWriter& out);

}  // namespace halo

#endif  // HALO_PROTO_PARTS_SHARDING_PROTO_H_

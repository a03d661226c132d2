// How a module's results are laid out on its devices, as far as the module specifies it.
#ifndef HALO_API_RUN_RESULT_SHARDING_H_
#define HALO_API_RUN_RESULT_SHARDING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "halo/api/document/document.h"
#include "halo/ir/module.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {

// The sharding of one leaf of the result (tuples flattened): what the root states, or what the
// shard_map that produces it states.
std::optional<Sharding> ResultSharding(const Module& module, size_t leaf);
// The shardings of the results according to the proto of a partitioned module, as text; empty if it
// does not specify any. The text form has no field for them.
std::string PartitionedResultSharding(const DocumentModule& module);
// The sharding of one leaf in such a text.
std::optional<Sharding> ShardingOfLeaf(std::string_view text, size_t leaf);

// False for a module whose shapes are still those of whole arrays on every device. Used only where
// the inputs do not decide: partitioning leaves shardings on parameters only, and collectives
// appear outside of manual regions only after it.
bool LooksPartitioned(const Module& module);

}  // namespace halo

#endif  // HALO_API_RUN_RESULT_SHARDING_H_

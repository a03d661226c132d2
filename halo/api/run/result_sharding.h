// How a module's results lie on its devices, as far as the module says so.
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

// Of one leaf of the result, tuples taken apart in order: what the root states, or what the
// shard_map it comes out of does.
std::optional<Sharding> ResultSharding(const Module& module, size_t leaf);
// What the proto of a partitioned module says of its results, as text; empty if it says nothing.
// Text has no place for it.
std::string PartitionedResultSharding(const DocumentModule& module);
// Of one leaf by such a text.
std::optional<Sharding> ShardingOfLeaf(std::string_view text, size_t leaf);

// False for a module whose shapes are still those of whole arrays on every device. Only looked at
// where inputs do not tell: partitioning leaves shardings on parameters alone, and collectives
// stand outside of manual regions only after it.
bool LooksPartitioned(const Module& module);

}  // namespace halo

#endif  // HALO_API_RUN_RESULT_SHARDING_H_

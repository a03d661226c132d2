// The borders of manual regions (shard_map) in a program that is not partitioned yet: where it goes
// from whole arrays to a device's own shards and back, and how those are cut.
#ifndef HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_
#define HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_

#include <cstddef>
#include <optional>

#include "halo/ir/module.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {

// True for instructions that take a device's own shard of the whole.
bool EntersManualRegion(const Module& module, const Inst& inst);
// True for instructions that make the whole from all devices' shards: the devices of a replica
// synchronize there as at a collective.
bool LeavesManualRegion(const Module& module, const Inst& inst);

// How the result (of an exit) or the operand (of an entry) of that number is sharded.
std::optional<Sharding> RegionSharding(const Module& module, const Inst& inst, size_t number);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_

// The borders of manual regions (shard_map) in a program that is not partitioned yet: where it
// switches between whole arrays and per-device shards, and how the arrays are sharded there.
#ifndef HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_
#define HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_

#include <cstddef>
#include <optional>

#include "halo/ir/module.h"
#include "halo/ir/sharding/sharding.h"

namespace halo {

// Returns true for instructions that slice a device's own shard from the whole array.
bool EntersManualRegion(const Module& module, const Inst& inst);
// Returns true for instructions that gather the whole array from all devices' shards. The devices
// of a replica synchronize there as at a collective.
bool LeavesManualRegion(const Module& module, const Inst& inst);

// Returns the sharding of result `number` (of an exit) or operand `number` (of an entry).
std::optional<Sharding> RegionSharding(const Module& module, const Inst& inst, size_t number);

}  // namespace halo

#endif  // HALO_SEMANTICS_DEVICES_MANUAL_BORDERS_H_

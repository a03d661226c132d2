// Where a program that is not partitioned yet goes from whole arrays to a device's own parts and
// back: shard_map's borders. Every device holds the whole outside; inside it holds its part.
#ifndef HALO_EVAL_MANUAL_REGION_H_
#define HALO_EVAL_MANUAL_REGION_H_

#include <optional>

#include "halo/eval/collective_parts.h"
#include "halo/ir/module.h"
#include "halo/ir/sharding.h"

namespace halo {

// True for instructions that take a device's own part of the whole.
bool EntersManualRegion(const Module& module, const Inst& inst);
// True for instructions that make the whole from all devices' parts: the devices of a replica meet
// there as at a collective.
bool LeavesManualRegion(const Module& module, const Inst& inst);

// How the result (of a way out) or the operand (of a way in) of that number is cut.
std::optional<Sharding> RegionSharding(const Module& module, const Inst& inst, size_t number);

// The way in, on one device.
Result<Value> EnterManualRegion(OpContext& cx);
// The way out, for all devices of a replica.
Result<MemberResults> LeaveManualRegion(Members members);

}  // namespace halo

#endif  // HALO_EVAL_MANUAL_REGION_H_

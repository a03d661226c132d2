// What happens at the borders of a manual region (shard_map). Outside, every device holds the whole
// array; inside, it holds its shard.
#ifndef HALO_EVAL_COLLECTIVES_MANUAL_REGION_H_
#define HALO_EVAL_COLLECTIVES_MANUAL_REGION_H_

#include "halo/eval/collectives/collective_parts.h"

namespace halo {

// Evaluates the entry, on one device.
Result<Value> EnterManualRegion(OpContext& cx);
// Evaluates the exit, for all devices of a replica.
Result<MemberResults> LeaveManualRegion(Members members);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_MANUAL_REGION_H_

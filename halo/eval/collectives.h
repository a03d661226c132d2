// Collectives: which devices take part together, and what each gets from what all of them bring.
// One call sees every member of one group, so that results do not depend on any order of arrival.
#ifndef HALO_EVAL_COLLECTIVES_H_
#define HALO_EVAL_COLLECTIVES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/base/result.h"
#include "halo/eval/op_context.h"
#include "halo/eval/value.h"

namespace halo {

// Device d is replica d / partitions, partition d % partitions.
struct DeviceGrid {
  int64_t replicas = 1;
  int64_t partitions = 1;
  [[nodiscard]] int64_t count() const { return replicas * partitions; }
};

// True if devices meet at the op.
bool IsCollectiveOp(Opcode opcode);

// The groups that join at this instruction, as device numbers in the order the op counts them.
// Devices beyond the grid are left out; a device in no group is a group of its own. For permutes
// and transfers: all devices that share a replica or a partition, whichever the op moves along.
Result<std::vector<std::vector<int64_t>>> GroupsOf(const Module& module, InstId id,
                                                   const DeviceGrid& grid);

// members[i] is what device devices[i] sees of the op; the result of each. For all-gather-start,
// all-reduce-start and collective-permute-start the results have the start form's shape.
Result<std::vector<Value>> EvalCollective(std::span<OpContext> members,
                                          std::span<const int64_t> devices, const DeviceGrid& grid);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_H_

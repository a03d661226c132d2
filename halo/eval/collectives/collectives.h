// Collectives: computes each device's results from the operands of all devices of a group. One call
// sees every member of one group, so results do not depend on the order of arrival.
#ifndef HALO_EVAL_COLLECTIVES_COLLECTIVES_H_
#define HALO_EVAL_COLLECTIVES_COLLECTIVES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/eval/context/op_context.h"
#include "halo/eval/lanes/value.h"
#include "halo/semantics/devices/device_groups.h"

namespace halo {

// members[i] is the op as device devices[i] sees it. Returns the result of each. For
// all-gather-start, all-reduce-start and collective-permute-start the results have the start form's
// shape.
Result<std::vector<Value>> EvalCollective(std::span<OpContext> members,
                                          std::span<const int64_t> devices, const DeviceGrid& grid);

}  // namespace halo

#endif  // HALO_EVAL_COLLECTIVES_COLLECTIVES_H_

// A reduction that spans machines: the first machine folds the operands of its members and passes
// the state on, the next continues, and the last one sends the result to those that get it. The
// elements are combined in the group's order, in the precision of the whole fold.
#ifndef HALO_DEVICES_TRANSPORT_HOST_CHAIN_H_
#define HALO_DEVICES_TRANSPORT_HOST_CHAIN_H_

#include <memory>

#include "halo/devices/transport/host_job.h"

namespace halo {

std::unique_ptr<HostJob> MakeChainJob(const HostJobInputs& inputs);

// The first member of another machine is at another op.
Diagnostic OtherOp(const HostJobInputs& inputs, size_t member, int64_t number);

}  // namespace halo

#endif  // HALO_DEVICES_TRANSPORT_HOST_CHAIN_H_

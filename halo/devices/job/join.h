// Joining the devices of a job: every process that mpirun, srun or the like started is one, by its
// rank.
#ifndef HALO_DEVICES_JOB_JOIN_H_
#define HALO_DEVICES_JOB_JOIN_H_

#include <memory>

#include "halo/runtime/collective.h"

namespace halo {

struct JoinOptions {
  // Never uses shared memory, as if every device stood on a machine of its own.
  bool messages_only = false;
};

// Starts MPI if the caller has not; a process that nobody started with others is the only device.
// The service ends what it started when it goes, unless something failed: then the process should
// just end.
Result<std::unique_ptr<CollectiveService>> JoinDevices(const JoinOptions& options = {});

}  // namespace halo

#endif  // HALO_DEVICES_JOB_JOIN_H_

// Joins the devices of a job. Every process started by mpirun, srun or the like is one device,
// identified by its rank.
#ifndef HALO_DEVICES_JOB_JOIN_H_
#define HALO_DEVICES_JOB_JOIN_H_

#include <functional>
#include <memory>
#include <string>

#include "halo/runtime/collective.h"

namespace halo {

struct JoinOptions {
  // Never move data through shared memory, as if every device were on a separate machine. Devices
  // of one machine still see there how far the others are.
  bool messages_only = false;
  // For tests: treats the processes of this machine as those of so many machines, alternating.
  // Negative: in blocks.
  int machines = 0;
  // Identifies the program. Devices that run different ones do not join.
  std::string build = {};
  // Seconds without a sign of life after which a machine's processes are taken to stand still;
  // longer if they are more than two per core.
  double silence = 5;
  // Called in another thread if the job has failed on another machine and this process still does
  // not return from what it is doing. May end the process. `must_end_job`: processes were stopped,
  // and this one should call EndJob.
  std::function<void(const Diagnostic& why, bool must_end_job)> on_stuck = {};
};

// Messages only if the environment variable HALO_DEVICES_TRANSPORT is `messages`. This tests on one
// machine how devices of several exchange data where they cannot act for each other.
JoinOptions JoinOptionsFromEnvironment();

// Starts MPI unless the caller has done so. A process that was not started by a launcher is the
// only device. The service shuts down whatever it started when it is destroyed, unless something
// failed; in that case the process should simply exit.
Result<std::unique_ptr<CollectiveService>> JoinDevices(const JoinOptions& options = {});

// Has the launcher end all processes of the job, also stopped ones. May end this process.
void EndJob(int exit_code);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_JOIN_H_

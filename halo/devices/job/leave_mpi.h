// Ends MPI in a process whose devices have finished.
#ifndef HALO_DEVICES_JOB_LEAVE_MPI_H_
#define HALO_DEVICES_JOB_LEAVE_MPI_H_

namespace halo {

// All processes must have passed a barrier, and none may use MPI afterwards.
void LeaveMpi();

}  // namespace halo

#endif  // HALO_DEVICES_JOB_LEAVE_MPI_H_

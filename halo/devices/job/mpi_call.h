// Turns MPI error codes into diagnostics, and keeps the memory of operations that were given up.
#ifndef HALO_DEVICES_JOB_MPI_CALL_H_
#define HALO_DEVICES_JOB_MPI_CALL_H_

#include <memory>
#include <mpi.h>
#include <optional>
#include <string_view>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// Returns nothing for MPI_SUCCESS. `what` says in a few words what was being done.
std::optional<Diagnostic> MpiProblem(int code, std::string_view what);

// MPI may read and write the buffers of an operation until it completes, and one that waits for a
// failed device never does. Keeps them until the process ends.
void KeepForMpi(std::shared_ptr<const void> buffers);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_MPI_CALL_H_

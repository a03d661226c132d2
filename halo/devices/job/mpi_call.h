// Turns MPI error codes into diagnostics.
#ifndef HALO_DEVICES_JOB_MPI_CALL_H_
#define HALO_DEVICES_JOB_MPI_CALL_H_

#include <mpi.h>
#include <optional>
#include <string_view>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// Returns nothing for MPI_SUCCESS. `what` says in a few words what was being done.
std::optional<Diagnostic> MpiProblem(int code, std::string_view what);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_MPI_CALL_H_

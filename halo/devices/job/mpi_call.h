// MPI's error codes as diagnostics.
#ifndef HALO_DEVICES_JOB_MPI_CALL_H_
#define HALO_DEVICES_JOB_MPI_CALL_H_

#include <mpi.h>
#include <optional>
#include <string_view>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

// Nothing for MPI_SUCCESS. `what` says what was being done, in a few words.
std::optional<Diagnostic> MpiProblem(int code, std::string_view what);

}  // namespace halo

#endif  // HALO_DEVICES_JOB_MPI_CALL_H_

// Open MPI is finalized. MPICH over UCX and TCP is not: its MPI_Finalize closes connections, which
// needs the peer's help, and then waits for the launcher, which gives none, so ranks of several
// machines often wait for each other forever (seen with MPICH 4.0.2 and UCX 1.13). The launcher is
// told that this process has ended well, and the system closes the connections.
#include "halo/devices/job/leave_mpi.h"

#include <cstdlib>
#include <mpi.h>
#include <string_view>
#include <unistd.h>

namespace halo {
namespace {

#if defined(MPICH_VERSION)
// The file of the launcher's connection, if it speaks the first version of the PMI protocol.
constexpr const char* kPmiFile = "PMI_FD";
constexpr std::string_view kEnd = "cmd=finalize\n";

bool EndPmi() {
  const char* number = std::getenv(kPmiFile);
  if (number == nullptr) return false;
  const int file = std::atoi(number);
  if (file <= STDERR_FILENO || write(file, kEnd.data(), kEnd.size()) < 0) return false;
  char answer[256];
  return read(file, answer, sizeof answer) > 0;
}
#else
bool EndPmi() { return false; }
#endif

}  // namespace

void LeaveMpi() {
  if (!EndPmi()) MPI_Finalize();
}

}  // namespace halo

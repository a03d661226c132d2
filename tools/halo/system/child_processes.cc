// By prctl on Linux.
#include "tools/halo/system/child_processes.h"

#include <fcntl.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

namespace halo::tool {

#if defined(__linux__)

bool MakePipe(int (&ends)[2]) { return pipe2(ends, O_CLOEXEC) == 0; }
void EndWithParent(int signal) { prctl(PR_SET_PDEATHSIG, signal); }
void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

#else

bool MakePipe(int (&ends)[2]) {
  if (pipe(ends) != 0) return false;
  for (const int end : ends) fcntl(end, F_SETFD, FD_CLOEXEC);
  return true;
}
void EndWithParent(int /*signal*/) {}
void AdoptOrphans() {}

#endif

}  // namespace halo::tool

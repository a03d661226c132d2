// Takes away what a running program does not need: the network, other programs, and all files but
// the named ones. Where the system cannot do a part of this, the rest applies and the result says
// what is missing.
#ifndef TOOLS_HALO_GUARD_SANDBOX_H_
#define TOOLS_HALO_GUARD_SANDBOX_H_

#include <string>
#include <vector>

#include "halo/api/run/sandbox_report.h"

namespace halo::tool {

struct SandboxRequest {
  std::vector<std::string> reads;    // files; of a member of an archive, the archive
  std::vector<std::string> writes;   // existing devices and pipes to write to
  std::vector<std::string> folders;  // whose files may be read, created, replaced and removed
  std::vector<std::string> read_folders = {};  // whose files may be listed and read
};

// Applies to this thread and to threads that it starts later, for good; it must be the only one of
// the process, or nothing is taken away. Files that are open stay usable.
SandboxReport EnterSandbox(const SandboxRequest& request);

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_SANDBOX_H_

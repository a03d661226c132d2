// Removes what MPI left on other hosts. Its daemons remove their files but not the folder that they
// were given, and nothing at all if they were killed.
#ifndef TOOLS_HALO_RANKS_HOST_CLEANUP_H_
#define TOOLS_HALO_RANKS_HOST_CLEANUP_H_

#include <chrono>
#include <string>

#include "tools/halo/ranks/host_list.h"

namespace halo::tool {

// Removes the folder on all hosts but this one, through `agent` (empty: mpirun's default). Hosts
// that do not answer in time are left alone.
void RemoveOnHosts(const HostList& hosts, const std::string& agent, const std::string& folder,
                   std::chrono::milliseconds most);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RANKS_HOST_CLEANUP_H_

// MPI and what stands on it as a library of its own, which the command loads only where it is one
// of several ranks.
#include <string>

#include "halo/devices/job/join.h"

extern "C" {

// Made from the same sources as the command, or not used.
const char* HaloDevicesVersion() { return HALO_VERSION; }

// Null, with the reason, if this process cannot join the others.
halo::CollectiveService* HaloJoinDevices(std::string* problem) {
  halo::Result<std::unique_ptr<halo::CollectiveService>> joined = halo::JoinDevices();
  if (joined.ok()) return joined->release();
  *problem = joined.error().message;
  return nullptr;
}

// Ends MPI, unless something failed.
void HaloLeaveDevices(halo::CollectiveService* service) { delete service; }
}

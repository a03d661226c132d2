// MPI and the code on top of it as a separate library, which the command loads only if it is one of
// several ranks.
#include <string>

#include "halo/base/build_id.h"
#include "halo/devices/job/join.h"

#define HALO_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

HALO_PLUGIN_EXPORT const char* HaloPluginBuildId() { return halo::BuildId(); }

// Null, with the reason, if this process cannot join the others.
HALO_PLUGIN_EXPORT halo::CollectiveService* HaloJoinDevices(std::string* problem) {
  halo::Result<std::unique_ptr<halo::CollectiveService>> joined =
      halo::JoinDevices(halo::JoinOptionsFromEnvironment());
  if (joined.ok()) return joined->release();
  *problem = joined.error().message;
  return nullptr;
}

// Shuts down MPI, unless something failed.
HALO_PLUGIN_EXPORT void HaloLeaveDevices(halo::CollectiveService* service) { delete service; }

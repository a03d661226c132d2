// MPI and the code on top of it as a separate library, which the command loads only if it is one of
// several ranks.
#include <cstdlib>
#include <string>
#include <unistd.h>

#include "halo/base/build_id.h"
#include "halo/base/strings/printable.h"
#include "halo/devices/job/join.h"

#define HALO_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))

HALO_PLUGIN_EXPORT const char* HaloPluginBuildId() { return halo::BuildId(); }

namespace {

// The exit code of a run that cannot continue.
constexpr int kUnusable = 2;

// Ends a rank that cannot return from what it is doing, although the job has failed elsewhere.
void EndProcess(const halo::Diagnostic& why, bool must_end_job) {
  const std::string text = "halo: " + halo::Printable(why.message) + "\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
  // `halo run` itself ends the ranks that it started.
  if (must_end_job && std::getenv("HALO_RANK_PAGE") == nullptr) halo::EndJob(kUnusable);
  _exit(kUnusable);
}

}  // namespace

// Null, with the reason, if this process cannot join the others.
HALO_PLUGIN_EXPORT halo::CollectiveService* HaloJoinDevices(std::string* problem) {
  halo::JoinOptions options = halo::JoinOptionsFromEnvironment();
  options.build = halo::BuildId();
  options.on_stuck = EndProcess;
  halo::Result<std::unique_ptr<halo::CollectiveService>> joined = halo::JoinDevices(options);
  if (joined.ok()) return joined->release();
  *problem = joined.error().message;
  return nullptr;
}

// Shuts down MPI, unless something failed.
HALO_PLUGIN_EXPORT void HaloLeaveDevices(halo::CollectiveService* service) { delete service; }

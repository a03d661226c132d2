// Only calls that a signal handler may make.
#include "tools/halo/guard/truncated_files.h"

#include <csignal>
#include <string_view>
#include <unistd.h>

#include "tools/halo/session/session.h"

namespace halo::tool {
namespace {

extern "C" void OnBusError(int number, siginfo_t* info, void* /*context*/) {
  // Anything but memory that is gone is a bug and ends the process as it would without a handler.
  if (info->si_code != BUS_ADRERR) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  constexpr std::string_view kMessage = "halo: a file was truncated while it was read\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
  _exit(kExitUnusable);
}

}  // namespace

void ReportTruncatedFiles() {
  struct sigaction action{};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace halo::tool

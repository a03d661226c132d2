// The pipe is never destroyed, because a signal may come at any time.
#include "tools/halo/serve/stop_signals.h"

#include <csignal>

#include "tools/halo/serve/wake_pipe.h"

namespace halo::tool {
namespace {

const WakePipe* stop_pipe = nullptr;
void OnStopSignal(int) { stop_pipe->Wake(); }

}  // namespace

int CatchStopSignals() {
  static const WakePipe* const pipe = new WakePipe;
  stop_pipe = pipe;
  struct sigaction action{};
  action.sa_handler = OnStopSignal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return pipe->descriptor();
}

}  // namespace halo::tool

// Ctrl-C and SIGTERM as a descriptor that becomes readable, for a server that waits in poll.
#ifndef TOOLS_HALO_SERVE_STOP_SIGNALS_H_
#define TOOLS_HALO_SERVE_STOP_SIGNALS_H_

namespace halo::tool {

// From now on these signals do not end the process. Returns the descriptor, which stays readable
// after the first of them.
int CatchStopSignals();

}  // namespace halo::tool

#endif  // TOOLS_HALO_SERVE_STOP_SIGNALS_H_

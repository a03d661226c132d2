// The state and the parent of another process of this machine.
#ifndef HALO_BASE_PROCESS_STATE_H_
#define HALO_BASE_PROCESS_STATE_H_

namespace halo {

// 'R', 'S', 'T', ... as reported by the system; 'X' if the process no longer exists.
char ProcessState(int pid);

// -1 if the process no longer exists.
int ParentOf(int pid);

}  // namespace halo

#endif  // HALO_BASE_PROCESS_STATE_H_

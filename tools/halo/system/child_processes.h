// Calls about child processes and their descriptors that systems differ in. Where macOS has no
// equivalent, a comment says what is missing.
#ifndef TOOLS_HALO_SYSTEM_CHILD_PROCESSES_H_
#define TOOLS_HALO_SYSTEM_CHILD_PROCESSES_H_

namespace halo::tool {

// A pipe that programs started by this process do not inherit.
bool MakePipe(int (&ends)[2]);

// This process gets `signal` when its parent dies; 0 takes that back. Safe between fork and exec.
// On macOS the child of a killed process runs on until it is done or reaches its own time limit.
void EndWithParent(int signal);

// Processes that a child leaves behind become children of this one. On macOS they do not.
void AdoptOrphans();

}  // namespace halo::tool

#endif  // TOOLS_HALO_SYSTEM_CHILD_PROCESSES_H_

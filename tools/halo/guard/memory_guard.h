// Keeps a process within its memory: large requests fail instead of driving the machine out of
// memory, and a request that fails ends the process with a note about it.
#ifndef TOOLS_HALO_GUARD_MEMORY_GUARD_H_
#define TOOLS_HALO_GUARD_MEMORY_GUARD_H_

#include <cstdint>

namespace halo::tool {

// Limits what the process may allocate to `bytes`, plus what the command needs for itself, and asks
// the system to choose this process first if memory runs out nevertheless. `note` is called when a
// request fails, at most once; it must not allocate. The process then exits.
void GuardMemory(int64_t bytes, void (*note)());

}  // namespace halo::tool

#endif  // TOOLS_HALO_GUARD_MEMORY_GUARD_H_

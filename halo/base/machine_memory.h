// How much memory a computation may use if the user gives no limit: what the machine has, or what
// the control group of a container or batch job allows, if that is less.
#ifndef HALO_BASE_MACHINE_MEMORY_H_
#define HALO_BASE_MACHINE_MEMORY_H_

#include <cstdint>
#include <filesystem>

namespace halo {

// Bytes; a sixteenth is left to the rest of the system.
int64_t MachineMemory();

// The least limit of the control groups that contain the process: `listing` has the format of
// /proc/self/cgroup, and the groups' files are below `root`. INT64_MAX if there is none.
int64_t GroupMemoryLimit(const std::filesystem::path& listing, const std::filesystem::path& root);

}  // namespace halo

#endif  // HALO_BASE_MACHINE_MEMORY_H_

// How many threads a computation may use if the user gives no number: the cores that the process
// may run on, or what the control group of a container or batch job allows, if that is less.
#ifndef HALO_BASE_MACHINE_CORES_H_
#define HALO_BASE_MACHINE_CORES_H_

#include <cstdint>
#include <filesystem>

namespace halo {

int MachineCores();  // at least one

// How many cores the affinity mask of the calling thread allows; INT64_MAX if that is unknown.
int64_t AllowedCores();

// The least quota of the control groups that contain the process, in whole cores, rounded up;
// INT64_MAX if there is none. The arguments are those of ForEachControlGroup.
int64_t GroupCoreLimit(const std::filesystem::path& listing, const std::filesystem::path& root);

}  // namespace halo

#endif  // HALO_BASE_MACHINE_CORES_H_

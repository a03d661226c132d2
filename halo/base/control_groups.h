// The control groups of Linux that contain the process, as containers and batch systems use them.
// What their files limit is up to the caller.
#ifndef HALO_BASE_CONTROL_GROUPS_H_
#define HALO_BASE_CONTROL_GROUPS_H_

#include <filesystem>
#include <functional>
#include <string_view>

namespace halo {

// Where the system lists the groups of the process and keeps their files.
inline constexpr char kGroupListing[] = "/proc/self/cgroup";
inline constexpr char kGroupRoot[] = "/sys/fs/cgroup";

// Calls `visit` with the folder of every group in which a controller, such as "memory", may limit
// the process, from its own group up to the top. `is_unified`: of the second version of control
// groups, whose files have other names. `listing` has the format of /proc/self/cgroup.
void ForEachControlGroup(
    const std::filesystem::path& listing, const std::filesystem::path& root,
    std::string_view controller,
    const std::function<void(const std::filesystem::path& group, bool is_unified)>& visit);

}  // namespace halo

#endif  // HALO_BASE_CONTROL_GROUPS_H_

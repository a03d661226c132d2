// Whether a file next to this program may be run as part of it.
#ifndef HALO_PLUGINS_TRUSTED_FILE_H_
#define HALO_PLUGINS_TRUSTED_FILE_H_

#include <string>

namespace halo {

// True if every user who can replace `file` can also replace `program`: the file and its folder
// belong to root or to the program's owner, and are writable by a group or by others only if the
// program or its folder is writable by the same.
bool IsTrustedBy(const std::string& program, const std::string& file);

}  // namespace halo

#endif  // HALO_PLUGINS_TRUSTED_FILE_H_

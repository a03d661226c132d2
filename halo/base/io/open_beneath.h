// Opens files that must be in a folder, whatever others do to the names in it meanwhile.
#ifndef HALO_BASE_IO_OPEN_BENEATH_H_
#define HALO_BASE_IO_OPEN_BENEATH_H_

#include <string>

namespace halo {

// Opens a regular file for reading: `path`, which must lead to a file below `folder`. Links are
// followed as long as they end there. Returns -1 with errno set if it cannot: EXDEV if it leads
// out, ELOOP or ENOTDIR if names were exchanged meanwhile, EINVAL if it is no regular file.
int OpenBeneath(const std::string& folder, const std::string& path);

}  // namespace halo

#endif  // HALO_BASE_IO_OPEN_BENEATH_H_

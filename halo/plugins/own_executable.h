// Where the executable of this process is. What is next to it is decided by those who ask.
#ifndef HALO_PLUGINS_OWN_EXECUTABLE_H_
#define HALO_PLUGINS_OWN_EXECUTABLE_H_

#include <filesystem>

namespace halo {

// Without symbolic links; empty if the system does not say.
std::filesystem::path OwnExecutable();

}  // namespace halo

#endif  // HALO_PLUGINS_OWN_EXECUTABLE_H_

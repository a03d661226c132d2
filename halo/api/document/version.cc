// The build knows the version.
#include "halo/api/document/version.h"

namespace halo {

std::string_view Version() { return HALO_VERSION; }

}  // namespace halo

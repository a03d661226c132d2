// The version, which the headers and the build must agree on.
#include "haloscope/version.h"

#include "halo/base/build_id.h"

namespace halo::v0 {

static_assert(std::string_view(HALOSCOPE_VERSION) == HALO_VERSION,
              "include/haloscope/version.h and the project's version in CMakeLists.txt differ");
#define HALO_TEXT(x) #x
#define HALO_DOTTED(major, minor, patch) HALO_TEXT(major) "." HALO_TEXT(minor) "." HALO_TEXT(patch)
static_assert(std::string_view(HALO_DOTTED(HALOSCOPE_VERSION_MAJOR, HALOSCOPE_VERSION_MINOR,
                                           HALOSCOPE_VERSION_PATCH)) == HALOSCOPE_VERSION);

std::string_view Version() { return HALOSCOPE_VERSION; }

std::string_view BuildId() { return halo::BuildId(); }

}  // namespace halo::v0

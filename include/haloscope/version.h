// The version of these headers and of the loaded library.
#ifndef HALOSCOPE_VERSION_H_
#define HALOSCOPE_VERSION_H_

#include <string_view>

#include "haloscope/export.h"

#define HALOSCOPE_VERSION_MAJOR 0
#define HALOSCOPE_VERSION_MINOR 1
#define HALOSCOPE_VERSION_PATCH 0
#define HALOSCOPE_VERSION "0.1.0"

namespace halo {
HALO_V0_BEGIN

// The version of the loaded library; HALOSCOPE_VERSION is that of the headers.
HALO_EXPORT std::string_view Version();

// Identifies the sources and settings that the loaded library was built from. Plugins are loaded
// only if their build id is the same.
HALO_EXPORT std::string_view BuildId();

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_VERSION_H_

// Reads a profile of any kind that halo knows; the kind follows from the contents.
#ifndef HALO_PROFILE_READ_PROFILE_H_
#define HALO_PROFILE_READ_PROFILE_H_

#include <string>
#include <string_view>

#include "halo/profile/profile_data.h"

namespace halo {

// Whether ReadProfile knows the kind of these bytes, which are already decompressed.
bool LooksLikeProfile(std::string_view bytes);

// `bytes` are already decompressed. Errors are in the profile's diagnostics.
Profile ReadProfile(std::string_view bytes, std::string path);

}  // namespace halo

#endif  // HALO_PROFILE_READ_PROFILE_H_

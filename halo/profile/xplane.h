// Reads an XSpace, the protobuf that jax.profiler and xprof write as .xplane.pb: planes (a device
// or the host), lines in them (a stream or a thread), events on those. The programs that ran may be
// embedded as HloProto; where they are in the file is listed without reading them.
#ifndef HALO_PROFILE_XPLANE_H_
#define HALO_PROFILE_XPLANE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/profile/profile_data.h"

namespace halo {

// By the structure of its first plane; works even if the end is missing.
bool LooksLikeXSpace(std::string_view bytes);

struct EmbeddedProgram {
  std::string name;  // "jit_step"
  std::optional<uint64_t> id;
  std::string_view proto;  // an encoded HloProto; points into the bytes of the XSpace
};

std::vector<EmbeddedProgram> ListEmbeddedPrograms(std::string_view bytes);

// Events of devices; those of the host if no device has any that name an op, as on CPUs.
Profile ReadXSpace(std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROFILE_XPLANE_H_

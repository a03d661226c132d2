// Reads databases that Nsight Systems exports (`nsys export --type sqlite`): NVTX ranges of XLA,
// calls that launch work, and what ran on the GPU, projected as the report nvtx_gpu_proj_trace
// does. Older and newer exports differ in columns that are not needed here.
#ifndef HALO_PROFILE_NSIGHT_DATABASE_H_
#define HALO_PROFILE_NSIGHT_DATABASE_H_

#include <string_view>

#include "halo/profile/profile_data.h"

namespace halo {

Profile ReadNsightDatabase(std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROFILE_NSIGHT_DATABASE_H_

// Reads tables in CSV: nvtx_gpu_proj_trace of Nsight Systems, and any table with a column hlo_op
// and one of durations, which is easily made from other profilers.
#ifndef HALO_PROFILE_CSV_PROFILE_H_
#define HALO_PROFILE_CSV_PROFILE_H_

#include <string_view>

#include "halo/profile/profile_data.h"

namespace halo {

// By the names of its columns.
bool LooksLikeCsvProfile(std::string_view bytes);

Profile ReadCsvProfile(std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROFILE_CSV_PROFILE_H_

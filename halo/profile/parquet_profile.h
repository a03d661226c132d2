// Reads nvtx_gpu_proj_trace of Nsight Systems as Parquet, the form in which nsys-jax keeps it.
#ifndef HALO_PROFILE_PARQUET_PROFILE_H_
#define HALO_PROFILE_PARQUET_PROFILE_H_

#include <string_view>

#include "halo/profile/profile_data.h"

namespace halo {

Profile ReadParquetProfile(std::string_view bytes);

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_PROFILE_H_

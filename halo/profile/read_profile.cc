// Names what halo cannot read, and how to turn it into what it can.
#include "halo/profile/read_profile.h"

#include "halo/profile/chrome_trace.h"
#include "halo/profile/csv_profile.h"
#include "halo/profile/parquet/parquet.h"
#include "halo/profile/parquet_profile.h"
#include "halo/profile/profile_diagnostics.h"
#include "halo/profile/xplane.h"

namespace halo {
namespace {

std::string WhyUnknown(std::string_view bytes) {
  if (bytes.starts_with("SQLite format 3")) {
    return "a database of Nsight Systems is not read; convert it: nsys stats -r "
           "nvtx_gpu_proj_trace --format csv FILE";
  }
  if (bytes.starts_with("\xFD"
                        "7zXZ"))
    return "xz is not read; decompress it: xz -d FILE";
  return "this is no profile that halo knows";
}

}  // namespace

bool LooksLikeProfile(std::string_view bytes) {
  return LooksLikeXSpace(bytes) || LooksLikeChromeTrace(bytes) || LooksLikeParquet(bytes) ||
         LooksLikeCsvProfile(bytes);
}

Profile ReadProfile(std::string_view bytes, std::string path) {
  Profile profile;
  if (LooksLikeXSpace(bytes)) {
    profile = ReadXSpace(bytes);
  } else if (LooksLikeChromeTrace(bytes)) {
    profile = ReadChromeTrace(bytes);
  } else if (LooksLikeParquet(bytes)) {
    profile = ReadParquetProfile(bytes);
  } else if (LooksLikeCsvProfile(bytes)) {
    profile = ReadCsvProfile(bytes);
  } else {
    profile.diagnostics.Add(MakeBinaryDiagnostic(diag::kNotAProfile, 0, WhyUnknown(bytes)));
  }
  profile.path = std::move(path);
  return profile;
}

}  // namespace halo

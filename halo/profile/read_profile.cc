// Names what halo cannot read, and how to turn it into what it can.
#include "halo/profile/read_profile.h"

#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "halo/profile/chrome_trace.h"
#include "halo/profile/csv_profile.h"
#include "halo/profile/nsight_database.h"
#include "halo/profile/parquet/parquet.h"
#include "halo/profile/parquet_profile.h"
#include "halo/profile/profile_diagnostics.h"
#include "halo/profile/sqlite/sqlite.h"
#include "halo/profile/xplane.h"

namespace halo {
namespace {

std::string WhyUnknown(std::string_view bytes) {
  if (bytes.empty()) return "the file is empty";
  if (bytes.starts_with("\xFD"
                        "7zXZ"))
    return "xz is not read; decompress it: xz -d FILE";
  if (std::isprint(static_cast<unsigned char>(bytes[0])) != 0) {
    return "this is text, and neither a trace in JSON nor a table with a column hlo_op or Name";
  }
  return "this is no profile that halo knows; a report of Nsight Systems (.nsys-rep) is exported "
         "first: nsys export --type sqlite FILE";
}

}  // namespace

bool LooksLikeProfile(std::string_view bytes) {
  return LooksLikeXSpace(bytes) || LooksLikeChromeTrace(bytes) || LooksLikeParquet(bytes) ||
         LooksLikeSqlite(bytes) || LooksLikeCsvProfile(bytes);
}

Profile ReadProfile(std::string_view bytes, std::string path) {
  Profile profile;
  if (LooksLikeXSpace(bytes)) {
    profile = ReadXSpace(bytes);
  } else if (LooksLikeChromeTrace(bytes)) {
    profile = ReadChromeTrace(bytes);
  } else if (LooksLikeParquet(bytes)) {
    profile = ReadParquetProfile(bytes);
  } else if (LooksLikeSqlite(bytes)) {
    profile = ReadNsightDatabase(bytes);
  } else if (LooksLikeCsvProfile(bytes)) {
    profile = ReadCsvProfile(bytes);
  } else {
    profile.diagnostics.Add(MakeBinaryDiagnostic(diag::kNotAProfile, 0, WhyUnknown(bytes)));
  }
  profile.path = std::move(path);
  return profile;
}

}  // namespace halo

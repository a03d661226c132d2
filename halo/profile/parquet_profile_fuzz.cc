// Any bytes read as a Parquet table give a consistent profile.
#include <cstddef>
#include <cstdint>

#include "halo/profile/parquet_profile.h"
#include "halo/profile/test/check_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  halo::CheckProfile(halo::ReadParquetProfile(bytes));
  return 0;
}

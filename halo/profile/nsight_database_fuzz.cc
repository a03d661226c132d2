// Any bytes read as a database of Nsight Systems give a consistent profile.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "halo/profile/nsight_database.h"
#include "halo/profile/test/check_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  halo::CheckProfile(halo::ReadNsightDatabase(bytes));
  return 0;
}

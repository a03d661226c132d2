// Any bytes read as a trace in JSON give a consistent profile.
#include <cstddef>
#include <cstdint>

#include "halo/profile/chrome_trace.h"
#include "halo/profile/test/check_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  halo::LooksLikeChromeTrace(bytes);
  halo::CheckProfile(halo::ReadChromeTrace(bytes));
  return 0;
}

// Any bytes read as an XSpace give a consistent profile, and embedded programs are within them.
#include <cstddef>
#include <cstdint>

#include "halo/profile/test/check_profile.h"
#include "halo/profile/xplane.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace halo;  // NOLINT
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  LooksLikeXSpace(bytes);
  for (const EmbeddedProgram& each : ListEmbeddedPrograms(bytes)) {
    HALO_CHECK(each.proto.data() >= bytes.data());
    HALO_CHECK(each.proto.data() + each.proto.size() <= bytes.data() + bytes.size());
  }
  CheckProfile(ReadXSpace(bytes));
  return 0;
}

// Lists arbitrary bytes as an archive. Listing must terminate, every member must be within the
// archive, and no name may lead out of the folder it would be unpacked into.
#include <cstdint>

#include "halo/base/check.h"
#include "halo/base/io/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const halo::TarListing listing = halo::ListTar(bytes);
  for (const halo::TarMember& member : listing.members) {
    HALO_CHECK(member.offset <= size && member.size <= size - member.offset);
    HALO_CHECK(!member.name.empty() && !member.name.starts_with('/'));
    HALO_CHECK(("/" + member.name + "/").find("/../") == std::string::npos);
  }
  return 0;
}

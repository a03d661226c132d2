// Archives from bytes: whatever they are, listing them ends, every member lies within the archive,
// and no name leads out of the folder it would be unpacked in.
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

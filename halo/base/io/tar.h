// The members of a tar archive: ustar, GNU and pax headers, names and sizes only. Opening the
// archive and choosing among its members is others' business.
#ifndef HALO_BASE_IO_TAR_H_
#define HALO_BASE_IO_TAR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct TarMember {
  std::string name;     // with '/', never absolute, without "." and ".." parts
  uint64_t offset = 0;  // of its bytes in the archive, all of which are there
  uint64_t size = 0;
};

struct TarListing {
  std::vector<TarMember> members;  // regular files, in the archive's order
  size_t skipped = 0;              // links, devices, folders, and names that lead elsewhere
  std::string problem;             // why it ends early; empty if it does not
};

bool LooksLikeTar(std::string_view bytes);

// Never fails: what is damaged ends the list, with the reason.
TarListing ListTar(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_TAR_H_

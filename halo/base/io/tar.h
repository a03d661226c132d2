// Lists the members of a tar archive: ustar, GNU and pax headers, names and sizes only. The callers
// open the archive and choose among its members.
#ifndef HALO_BASE_IO_TAR_H_
#define HALO_BASE_IO_TAR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct TarMember {
  std::string name;     // with '/', never absolute, without "." and ".." parts
  uint64_t offset = 0;  // of its bytes, all of which are in the archive
  uint64_t size = 0;
};

struct TarListing {
  std::vector<TarMember> members;  // regular files, in archive order
  size_t skipped = 0;              // links, devices, folders, and names that point outside
  std::string problem;             // why the list ends early; empty if it does not
};

bool LooksLikeTar(std::string_view bytes);

// Never fails: damage ends the list and is reported as its problem.
TarListing ListTar(std::string_view bytes);

}  // namespace halo

#endif  // HALO_BASE_IO_TAR_H_

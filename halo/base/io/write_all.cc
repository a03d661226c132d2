// A write may take fewer bytes than it was given, and signals interrupt it.
#include "halo/base/io/write_all.h"

#include <cerrno>
#include <cstddef>
#include <unistd.h>

namespace halo {

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace halo

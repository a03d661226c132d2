// A full pipe wakes as well as one with a byte in it.
#include "tools/halo/serve/wake_pipe.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace halo::tool {

WakePipe::WakePipe() {
  if (pipe(ends_.data()) != 0) ends_ = {-1, -1};
  for (const int end : ends_) {
    if (end < 0) continue;
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
}

WakePipe::~WakePipe() {
  for (const int end : ends_) {
    if (end >= 0) close(end);
  }
}

void WakePipe::Wake() const {
  const int kept = errno;
  [[maybe_unused]] const ssize_t written = write(ends_[1], "", 1);
  errno = kept;
}

void WakePipe::Clear() const {
  std::array<char, 256> bytes;  // NOLINT: filled below
  while (read(ends_[0], bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace halo::tool

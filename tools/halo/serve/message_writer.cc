// Writes until everything is written or the pipe is closed.
#include "tools/halo/serve/message_writer.h"

#include <cerrno>
#include <unistd.h>

namespace halo::tool {

void MessageWriter::Write(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  while (!bytes.empty() && !is_gone_) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    is_gone_ = written <= 0;
    if (!is_gone_) bytes.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace halo::tool

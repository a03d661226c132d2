// The pipe's end is told by the first write that fails.
#include "tools/halo/serve/message_writer.h"

#include <unistd.h>

#include "halo/base/io/write_all.h"

namespace halo::tool {

void MessageWriter::Write(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!is_gone_) is_gone_ = !WriteAll(STDOUT_FILENO, bytes);
}

}  // namespace halo::tool

// The result of `halo memory` on one screen.
#ifndef TOOLS_HALO_RENDER_MEMORY_TEXT_H_
#define TOOLS_HALO_RENDER_MEMORY_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/api/memory/memory.h"

namespace halo::tool {

struct MemoryTextOptions {
  size_t top = 10;  // rows per list
  bool color = false;
  bool ascii = true;
  bool full = false;  // do not shorten names
};

std::string MemoryText(const MemoryResult& result, const MemoryTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_MEMORY_TEXT_H_

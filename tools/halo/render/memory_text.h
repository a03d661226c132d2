// The answer of `halo memory` on one screen.
#ifndef TOOLS_HALO_RENDER_MEMORY_TEXT_H_
#define TOOLS_HALO_RENDER_MEMORY_TEXT_H_

#include <cstddef>
#include <string>

#include "halo/api/memory/memory.h"

namespace halo::tool {

struct MemoryTextOptions {
  size_t top = 10;  // rows of the lists
  bool color = false;
  bool ascii = true;
  bool full = false;  // names are not cut
};

std::string MemoryText(const MemoryAnswer& answer, const MemoryTextOptions& options);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_MEMORY_TEXT_H_

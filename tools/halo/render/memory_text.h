// The result of `halo memory` on one screen: the verdict, what would help, then the details.
#ifndef TOOLS_HALO_RENDER_MEMORY_TEXT_H_
#define TOOLS_HALO_RENDER_MEMORY_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "halo/api/memory/memory.h"

namespace halo::tool {

struct MemoryTextOptions {
  size_t top = 10;   // rows per list
  size_t width = 0;  // columns of the terminal; 0: no limit
  bool color = false;
  bool ascii = true;
  bool full = false;  // do not shorten names
};

std::string MemoryText(const MemoryResult& result, const MemoryTextOptions& options);

// Parts of it (memory_advice.cc, memory_lists.cc).
std::string MemoryAdviceText(const MemoryResult& result, const MemoryTextOptions& options);
std::string MemoryGroupsText(const MemoryExplanation& all, const MemoryTextOptions& options);
std::string MemoryValuesText(const MemoryExplanation& all, const MemoryTextOptions& options);

// A label, and a text that wraps beside it.
std::string MemoryLine(std::string_view label, std::string_view text,
                       const MemoryTextOptions& options);
// The same for items in sequence, on as many lines as they need; no item is divided.
std::string MemoryItems(std::string_view label, const std::vector<std::string>& items,
                        const MemoryTextOptions& options);
// What runs at a time: "add.3: model/mul (model.py:7)".
std::string MemoryMoment(std::string_view instruction, std::string_view op_name,
                         std::string_view source);
// "12%", "4.2%".
std::string MemoryShare(int64_t part, int64_t whole);

}  // namespace halo::tool

#endif  // TOOLS_HALO_RENDER_MEMORY_TEXT_H_

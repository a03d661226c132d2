// Names of values may contain braces and commas: all-gather-start.2{1,1}.
#include "halo/base/strings/name_list.h"

#include <utility>

namespace halo {

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  std::string name;
  int depth = 0;
  for (const char c : text) {
    if (c == '{') ++depth;
    if (c == '}') --depth;
    if (c != ',' || depth > 0) {
      name += c;
      continue;
    }
    if (!name.empty()) names.push_back(std::move(name));
    name.clear();
  }
  if (!name.empty()) names.push_back(std::move(name));
  return names;
}

}  // namespace halo

// Reads the listing line by line. WebAssembly has no such groups.
#include "halo/base/control_groups.h"

#if defined(__wasm__)

namespace halo {

void ForEachControlGroup(
    const std::filesystem::path& /*listing*/, const std::filesystem::path& /*root*/,
    std::string_view /*controller*/,
    const std::function<void(const std::filesystem::path& group, bool is_unified)>& /*visit*/) {}

}  // namespace halo

#else

#include <algorithm>
#include <fstream>
#include <string>

namespace halo {
namespace {

bool Lists(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

}  // namespace

void ForEachControlGroup(
    const std::filesystem::path& listing, const std::filesystem::path& root,
    std::string_view controller,
    const std::function<void(const std::filesystem::path& group, bool is_unified)>& visit) {
  std::ifstream in(listing);
  for (std::string line; std::getline(in, line);) {
    // HIERARCHY:CONTROLLERS:/PATH; the second version of control groups is hierarchy 0.
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const bool is_unified = line.starts_with("0:") && controllers.empty();
    if (!is_unified && !Lists(controllers, controller)) continue;
    const std::filesystem::path top = is_unified ? root : root / controllers;
    // Every group on the way up has a limit. In a container, its own group is the top.
    std::filesystem::path group = std::filesystem::path(line.substr(second + 1)).relative_path();
    for (;; group = group.parent_path()) {
      visit(top / group, is_unified);
      if (group.empty()) break;
    }
  }
}

}  // namespace halo

#endif

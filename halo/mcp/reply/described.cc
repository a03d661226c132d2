// Composed names are kept once for the process, since tables of tools refer to them.
#include "halo/mcp/reply/described.h"

#include <mutex>
#include <set>

namespace halo::mcp {

std::string_view FigureFields::Kept(std::string_view name) const {
  if (before_.empty()) return name;
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::lock_guard lock(mutex);
  return *names.insert(before_ + std::string(name)).first;
}

std::vector<Field> JoinFields(std::initializer_list<std::vector<Field>> lists) {
  std::vector<Field> all;
  for (const std::vector<Field>& list : lists) {
    for (const Field& each : list) {
      const auto is_it = [&](const Field& known) { return known.name == each.name; };
      if (std::none_of(all.begin(), all.end(), is_it)) all.push_back(each);
    }
  }
  return all;
}

}  // namespace halo::mcp

// Members that no description lists.
#include "halo/describe/read_json.h"

#include <algorithm>

namespace halo::describe {

std::string UnknownMember(const JsonValue& object, std::span<const std::string_view> known,
                          std::span<const std::string_view> others) {
  for (const std::string& key : object.keys) {
    const auto is_it = [&](std::string_view each) { return each == key; };
    if (std::any_of(known.begin(), known.end(), is_it)) continue;
    if (std::any_of(others.begin(), others.end(), is_it)) continue;
    return "there is no member `" + key.substr(0, 100) + "`";
  }
  return {};
}

}  // namespace halo::describe

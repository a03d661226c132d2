// The names are those that XLA's profilers give.
#include "halo/profile/line_roles.h"

#include <algorithm>

namespace halo {

LineRole RoleOfLine(std::string_view name) {
  if (name.starts_with("Stream")) return LineRole::kStream;
  if (name == "XLA Ops") return LineRole::kOps;
  if (name == "XLA Modules") return LineRole::kModules;
  return LineRole::kOther;
}

std::string_view OpOfText(std::string_view text) {
  if (!text.starts_with('%')) return text;
  return text.substr(1, std::min(text.find(" = "), text.size()) - 1);
}

}  // namespace halo

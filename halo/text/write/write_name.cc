// Names with control characters are rare: the others are only looked at.
#include "halo/text/write/write_name.h"

#include <algorithm>

#include "halo/base/strings/printable.h"

namespace halo {

void WriteName(std::string_view name, TextBuffer& out) {
  const bool has_controls = std::ranges::any_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (has_controls) {
    out << Printable(name);
  } else {
    out << name;
  }
}

}  // namespace halo

// Sentences for people: like fmt::format, but what is put into them is data, so text is made
// printable. Renderers and messages use this, so that none of them can forget it. A style or a line
// break is not data: it is part of the form, or is added outside of it.
#ifndef TOOLS_HALO_TERMINAL_PHRASE_H_
#define TOOLS_HALO_TERMINAL_PHRASE_H_

#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>

#include "halo/base/strings/printable.h"

namespace halo::tool {

// Text as it may be printed; any other value as it is.
template <typename T>
decltype(auto) PhrasePart(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return Printable(value);
  } else {
    return (value);
  }
}

template <typename... Parts>
std::string Phrase(fmt::format_string<Parts...> form, Parts&&... parts) {
  const auto format = [form](const auto&... safe) {
    return fmt::vformat(form, fmt::make_format_args(safe...));
  };
  return format(PhrasePart(parts)...);
}

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_PHRASE_H_

// Classes of ASCII characters, and trimming by them; never by locale.
#ifndef HALO_BASE_STRINGS_CHARACTERS_H_
#define HALO_BASE_STRINGS_CHARACTERS_H_

#include <string_view>

namespace halo {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Within a line, which may end in a carriage return.
constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Without blanks at both ends.
constexpr std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace halo

#endif  // HALO_BASE_STRINGS_CHARACTERS_H_

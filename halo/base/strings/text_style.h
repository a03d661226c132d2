// The styles of text on a terminal, as the sequences that begin and end them. No other control
// sequence is printed, except by the status line.
#ifndef HALO_BASE_STRINGS_TEXT_STYLE_H_
#define HALO_BASE_STRINGS_TEXT_STYLE_H_

#include <string_view>

namespace halo::text_style {

inline constexpr std::string_view kBold = "\033[1m";
inline constexpr std::string_view kGood = "\033[32m";
inline constexpr std::string_view kError = "\033[1;31m";
inline constexpr std::string_view kWarning = "\033[1;35m";
inline constexpr std::string_view kCaret = "\033[1;32m";
inline constexpr std::string_view kEnd = "\033[0m";
inline constexpr std::string_view kAll[] = {kBold, kGood, kError, kWarning, kCaret, kEnd};

}  // namespace halo::text_style

#endif  // HALO_BASE_STRINGS_TEXT_STYLE_H_

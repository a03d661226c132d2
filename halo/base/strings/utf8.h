// Reads and writes UTF-8, and decides what is valid: dumps may hold any bytes, and formats such as
// JSON and Arrow may not.
#ifndef HALO_BASE_STRINGS_UTF8_H_
#define HALO_BASE_STRINGS_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace halo {

// Length of the valid multi-byte UTF-8 sequence at the front of `text`, which is not empty; 0 if
// there is none, also for ASCII.
size_t Utf8Length(std::string_view text);

// The code point of one valid character.
char32_t Utf8CodePoint(std::string_view character);

// Appends a code point.
void AppendUtf8(uint32_t code, std::string& out);

// Appends the text with bytes that are not UTF-8 replaced by U+FFFD.
void AppendUtf8Text(std::string_view text, std::string& out);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_UTF8_H_

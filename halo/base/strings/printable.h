// What a person may read on a terminal: data from files, command lines and other machines with
// every character escaped that acts on a terminal, ends a line, changes the writing direction or
// cannot be seen.
#ifndef HALO_BASE_STRINGS_PRINTABLE_H_
#define HALO_BASE_STRINGS_PRINTABLE_H_

#include <string>
#include <string_view>

namespace halo {

// True for control characters, line and paragraph separators, and characters that change the
// writing direction or are invisible.
bool IsUnprintable(char32_t code);

// Escapes each byte of such a character, and each byte that is not UTF-8, as \xNN. Text that was
// escaped before does not change, so data may pass more than one place that escapes it.
std::string Printable(std::string_view text);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_PRINTABLE_H_

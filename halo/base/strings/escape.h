// C escapes as HLO text uses them in quoted strings: \n \r \t \" \' \\, octal for the rest.
#ifndef HALO_BASE_STRINGS_ESCAPE_H_
#define HALO_BASE_STRINGS_ESCAPE_H_

#include <optional>
#include <string>
#include <string_view>

#include "halo/base/strings/text_buffer.h"

namespace halo {

void AppendCEscaped(std::string_view text, TextBuffer& out);
std::string CEscaped(std::string_view text);

// Nullopt if an escape is malformed.
std::optional<std::string> CUnescaped(std::string_view text);

// True if `text` is one balanced {...} with well-formed strings, which a backend_config may contain
// unquoted.
bool LooksLikeJsonDict(std::string_view text);

}  // namespace halo

#endif  // HALO_BASE_STRINGS_ESCAPE_H_

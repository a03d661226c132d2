// Names in text. A serialized module may name things with line breaks and other control characters,
// which text cannot: they would end the line, and what follows would be read as something else.
#ifndef HALO_TEXT_WRITE_WRITE_NAME_H_
#define HALO_TEXT_WRITE_WRITE_NAME_H_

#include <string_view>

#include "halo/base/strings/text_buffer.h"

namespace halo {

// The name as it is, or escaped as by Printable if it holds a control character.
void WriteName(std::string_view name, TextBuffer& out);

}  // namespace halo

#endif  // HALO_TEXT_WRITE_WRITE_NAME_H_

// What is wrong with an input, where, and what to do about it. Errors are values: no function of
// the library throws, prints or exits because of an input.
#ifndef HALOSCOPE_DIAGNOSTICS_H_
#define HALOSCOPE_DIAGNOSTICS_H_

#include <cstdint>
#include <string>

#include "haloscope/export.h"

namespace halo {
HALO_V0_BEGIN

enum class Severity : uint8_t { kWarning, kError };

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string code;  // stable: "unknown-opcode", or the label of a verifier rule
  std::string message;
  std::string help;             // what to do; may be empty
  std::string file;             // the path or name that the document was opened with
  uint64_t offset = 0;          // in bytes, after decompression
  uint32_t line = 0;            // from 1; 0 if the location is not in a text
  uint32_t column = 0;          // from 1, in bytes
  std::string excerpt;          // the line, or the part of a long line around the location
  uint32_t excerpt_column = 0;  // from 0, within the excerpt
};

// "file:line:column: error: message [code]", the line with a caret under the location, and the
// help. Ends with a newline. `color` adds ANSI colors.
HALO_EXPORT std::string Render(const Diagnostic& diagnostic, bool color = false);

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DIAGNOSTICS_H_

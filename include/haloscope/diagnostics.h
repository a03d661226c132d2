// What is wrong with an input, where, and what to do about it. Errors are values: no function of
// the library throws, prints or exits because of an input.
#ifndef HALOSCOPE_DIAGNOSTICS_H_
#define HALOSCOPE_DIAGNOSTICS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "haloscope/export.h"
#include "haloscope/fields.h"

namespace halo {
HALO_V0_BEGIN

enum class Severity : uint8_t { kWarning, kError };
constexpr std::array<std::string_view, 2> EnumTexts(Severity /*type*/) {
  return {"warning", "error"};
}

struct Diagnostic {
  std::string path;
  Severity severity = Severity::kError;
  std::string code;
  std::string message;
  std::string help;
  std::optional<uint64_t> offset;
  uint32_t line = 0, column = 0;
  std::string computation, instruction;
  // For Render: the line, or the part of a long line around the location, and the location in it.
  std::string excerpt;
  uint32_t excerpt_column = 0;
};

template <class V>
void Fields(V& v, Diagnostic& r) {
  v("path", r.path, "the file; empty if it is about the command line or the output");
  v("code", r.code,
    "a stable label: `unknown-opcode`, or a rule of [verifier.md](verifier.md); `halo check "
    "--rules --json` lists "
    "them. Failures of the command itself: `wrong-usage`, `cannot-write`, `cannot-listen`, "
    "`cannot-join`, "
    "`no-engine`, `no-sandbox`, `bad-request`");
  v("severity", r.severity, "`error` or `warning`");
  v("message", r.message, "for humans");
  v("line", r.line, "from 1; absent where the input is not text", FieldFlag::kIfAny);
  v("column", r.column, "from 1, in bytes", FieldFlag::kIfAny);
  v("offset", r.offset, "from 0, in bytes, after decompression", FieldFlag::kDetail);
  v("computation", r.computation, "what a rule is about", FieldFlag::kIfAny);
  v("instruction", r.instruction, "the same", FieldFlag::kIfAny);
  v("help", r.help, "what to do about it", FieldFlag::kIfAny);
}

// "file:line:column: error: message [code]", the line with a caret under the location, and the
// help. Ends with a newline. `color` adds ANSI colors.
HALO_EXPORT std::string Render(const Diagnostic& diagnostic, bool color = false);

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_DIAGNOSTICS_H_

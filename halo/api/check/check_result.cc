// Joins what is wrong with each file into one document.
#include "halo/api/check/check_result.h"

#include "halo/api/describe/result_parts.h"
#include "halo/describe/write_json.h"

namespace halo {

v0::Diagnostic PublicNote(const CheckNote& note, std::string_view path) {
  v0::Diagnostic shown = PublicDiagnostic(note.diagnostic, path);
  shown.code = note.label();
  shown.computation = note.computation;
  shown.instruction = note.instruction;
  // A rule is about the module, which has a place in the file only if its text was searched.
  if (note.rule && shown.line == 0) shown.offset.reset();
  return shown;
}

v0::CheckResult CheckResultOf(std::span<const CheckedFile> files) {
  v0::CheckResult result;
  for (const CheckedFile& file : files) {
    v0::CheckInput& input = result.inputs.emplace_back();
    static_cast<v0::InputFile&>(input) =
        InputOf(file.path, file.kind, file.compression, file.stored_bytes, file.bytes);
    input.errors = file.errors;
    input.warnings = file.warnings;
    result.errors += file.errors;
    result.warnings += file.warnings;
    if (file.unreadable) result.is_readable = false;
    for (const CheckNote& note : file.notes) {
      result.diagnostics.push_back(PublicNote(note, file.path));
    }
  }
  return result;
}

std::string CheckJson(std::span<const CheckedFile> files) {
  return describe::DocumentJson(CheckResultOf(files));
}

CheckOptions OptionsOf(const v0::CheckRequest& asked) {
  CheckOptions options;
  options.warnings = asked.warnings;
  options.rules = asked.rules;
  return options;
}

}  // namespace halo

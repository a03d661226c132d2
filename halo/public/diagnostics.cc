// Converts diagnostics to plain text, so that users of the library need no table of codes.
#include "haloscope/diagnostics.h"

#include "halo/public/document_state.h"

namespace halo::v0 {

Diagnostic PublicDiagnostic(const halo::Diagnostic& from, std::string_view file) {
  Diagnostic to;
  to.severity = from.severity == halo::Severity::kError ? Severity::kError : Severity::kWarning;
  to.code = from.code.text;
  to.message = from.message;
  to.help = from.help;
  to.file = file;
  to.offset = from.location.offset;
  to.line = from.location.line;
  to.column = from.location.column;
  to.excerpt = from.excerpt;
  to.excerpt_column = from.excerpt_column;
  return to;
}

void AppendDiagnostics(const halo::Diagnostics& from, std::string_view file,
                       std::vector<Diagnostic>& to) {
  for (const halo::Diagnostic& each : from.all()) to.push_back(PublicDiagnostic(each, file));
}

std::vector<Diagnostic> PublicDiagnostics(const halo::Document& document) {
  std::vector<Diagnostic> all;
  for (const halo::Diagnostic* each : document.AllDiagnostics()) {
    all.push_back(PublicDiagnostic(*each, document.path));
  }
  return all;
}

std::string Render(const Diagnostic& diagnostic, bool color) {
  halo::Diagnostic shown;
  shown.severity =
      diagnostic.severity == Severity::kError ? halo::Severity::kError : halo::Severity::kWarning;
  shown.location = {diagnostic.offset, diagnostic.line, diagnostic.column};
  shown.message = diagnostic.message;
  shown.help = diagnostic.help;
  shown.excerpt = diagnostic.excerpt;
  shown.excerpt_column = diagnostic.excerpt_column;
  return RenderDiagnostic(shown, diagnostic.code, diagnostic.file, color);
}

}  // namespace halo::v0

// Converts diagnostics to plain text, so that users of the library need no table of codes.
#include "haloscope/diagnostics.h"

#include "halo/api/describe/result_parts.h"
#include "halo/public/document_state.h"

namespace halo::v0 {

std::vector<Diagnostic> PublicDiagnostics(const halo::Document& document) {
  std::vector<Diagnostic> all;
  AppendReadingDiagnostics(document, all);
  return all;
}

std::string Render(const Diagnostic& diagnostic, bool color) {
  halo::Diagnostic shown;
  shown.severity =
      diagnostic.severity == Severity::kError ? halo::Severity::kError : halo::Severity::kWarning;
  shown.location = {diagnostic.offset.value_or(0), diagnostic.line, diagnostic.column};
  shown.message = diagnostic.message;
  shown.help = diagnostic.help;
  shown.excerpt = diagnostic.excerpt;
  shown.excerpt_column = diagnostic.excerpt_column;
  return RenderDiagnostic(shown, diagnostic.code, diagnostic.path, color);
}

}  // namespace halo::v0

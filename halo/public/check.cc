// `halo check` through the public interface.
#include "haloscope/check.h"

#include "halo/public/document_state.h"
#include "halo/view/model/view_request.h"

namespace halo::v0 {

struct CheckState {
  CheckedFile file;
};

std::string CheckResult::ToJson() const {
  return state == nullptr ? std::string() : CheckJson({&state->file, 1});
}

std::string CheckResult::ToSarif() const {
  return state == nullptr ? std::string() : CheckSarif({&state->file, 1});
}

CheckResult Check(const Document& document, const CheckRequest& request) {
  CheckOptions options;
  options.warnings = request.warnings;
  options.rules = request.rules;
  const auto state =
      std::make_shared<CheckState>(CheckState{view::CheckOf(*OpenedFile(document), options)});
  const CheckedFile& file = state->file;
  CheckResult result;
  for (const CheckNote& note : file.notes) {
    CheckFinding& finding = result.findings.emplace_back();
    finding.diagnostic = PublicDiagnostic(note.diagnostic, file.path);
    finding.diagnostic.code = note.label();
    finding.computation = note.computation;
    finding.instruction = note.instruction;
  }
  result.errors = file.errors;
  result.warnings = file.warnings;
  result.is_readable = !file.unreadable;
  result.state = state;
  return result;
}

}  // namespace halo::v0

// Turns each finding into a note: the kind is its code, the explanation its message.
#include "halo/api/check/assignment_findings.h"

#include "halo/api/document/assignment_rules.h"
#include "halo/api/document/embedded_assignment.h"
#include "halo/memory/backend/detect_backend.h"
#include "halo/memory/bind/bound_assignment.h"
#include "halo/memory/check/check_assignment.h"

namespace halo {
namespace {

CheckNote NoteOf(const Finding& finding) {
  CheckNote note;
  note.diagnostic.code = {TextOf(finding.kind), Severity::kError, InfoOf(finding.kind).help};
  note.diagnostic.message = finding.explanation;
  note.diagnostic.help = InfoOf(finding.kind).help;
  return note;
}

}  // namespace

void AddFindings(const Assignment& assignment, const Module* module, std::string_view module_path,
                 CheckedFile& checked) {
  if (module != nullptr && !Belongs(BindByName(assignment, *module))) module = nullptr;
  const BackendGuess guess =
      module != nullptr ? DetectBackend(*module, module_path) : DetectBackend(assignment);
  AssignmentCheckOptions options;
  options.rules = CheckRulesOf(guess.backend);
  const AssignmentFindings found = CheckAssignment(assignment, module, options);
  // The total is printed in a piece that may be missing.
  const bool has_total = assignment.has_total;
  checked.errors += found.total - (has_total ? 0 : found.count(FindingKind::kWrongTotal));
  for (const Finding& each : found.findings) {
    if (has_total || each.kind != FindingKind::kWrongTotal) checked.notes.push_back(NoteOf(each));
  }
}

namespace {

void AddEmbeddedFindings(const DocumentModule& module, std::string_view path,
                         CheckedFile& checked) {
  Diagnostics diagnostics;
  const Assignment assignment = EmbeddedAssignment(module, diagnostics);
  for (const Diagnostic& each : diagnostics.all()) {
    CheckNote note;
    note.diagnostic = each;
    checked.notes.push_back(std::move(note));
  }
  checked.errors += diagnostics.errors();
  if (diagnostics.ok()) AddFindings(assignment, &module.module, path, checked);
}

}  // namespace

void AddFindings(const Document& document, CheckedFile& checked) {
  if (document.errors() != 0) return;
  for (const DocumentModule& each : document.modules) {
    if (HasEmbeddedAssignment(each)) AddEmbeddedFindings(each, document.path, checked);
  }
  if (!document.memory) return;
  if (!document.memory->pieces.has(AssignmentPiece::kAllocations)) return;
  AddFindings(document.memory->assignment, nullptr, {}, checked);
}

}  // namespace halo

// Opens a file to find what is wrong with it, and locates each problem in the file's text.
#include "halo/api/check/check_document.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "halo/api/check/assignment_findings.h"
#include "halo/api/document/find_definitions.h"
#include "halo/semantics/verify/verify.h"
#include "halo/text/framing/framing.h"

namespace halo {
namespace {

CheckNote MakeNote(const Module& module, const RuleFinding& finding) {
  CheckNote note;
  note.rule = finding.rule;
  note.diagnostic.severity = InfoOf(finding.rule).severity;
  note.diagnostic.help = InfoOf(finding.rule).help;
  note.diagnostic.message = finding.message;
  if (finding.comp.valid()) note.computation = module.text(module.comp(finding.comp).name);
  if (finding.inst.valid()) note.instruction = module.name_of(module.inst(finding.inst));
  return note;
}

// Puts the location into the message when there is no line to point at.
void NameLocation(CheckNote& note) {
  std::string location;
  if (!note.computation.empty()) location = "computation " + note.computation;
  if (!note.instruction.empty()) location += ", instruction " + note.instruction;
  if (!location.empty()) note.diagnostic.message = location + ": " + note.diagnostic.message;
}

void FindLocations(std::string_view text, uint64_t bytes_before, uint32_t lines_before,
                   std::span<CheckNote> notes) {
  std::vector<Definition> wanted;
  wanted.reserve(notes.size());
  for (const CheckNote& note : notes) wanted.push_back({note.computation, note.instruction});
  const auto offsets = FindDefinitions(text, wanted);
  LineCounter lines;
  for (size_t i = 0; i < notes.size(); ++i) {
    if (!offsets[i]) {
      NameLocation(notes[i]);
      continue;
    }
    Diagnostic& diagnostic = notes[i].diagnostic;
    LocateDiagnostic(text, *offsets[i], lines, diagnostic);
    diagnostic.location.offset += bytes_before;
    diagnostic.location.line += lines_before;
  }
}

// Locates the notes of each module. The notes of module i start at `begins[i]`.
void FindLocations(const Document& document, std::span<const size_t> begins,
                   std::vector<CheckNote>& notes) {
  const auto part = [&](size_t module) {
    const size_t end = module + 1 < begins.size() ? begins[module + 1] : notes.size();
    return std::span(notes).subspan(begins[module], end - begins[module]);
  };
  if (!document.from_text() || !document.source) {
    for (size_t i = 0; i < begins.size(); ++i) {
      for (CheckNote& note : part(i)) NameLocation(note);
    }
    return;
  }
  if (document.kind != FileKind::kHloCapture) {
    for (size_t i = 0; i < begins.size(); ++i) {
      FindLocations(document.source->bytes(), 0, 0, part(i));
    }
    return;
  }
  const FramedText framed = SplitText(*document.source);
  size_t module = 0;
  for (const TextSection& section : framed.sections) {
    if (!HoldsModules(DetectKind(section.text.bytes()))) continue;
    if (module >= begins.size()) break;
    FindLocations(section.text.bytes(), section.bytes_before, section.lines_before, part(module));
    ++module;
  }
}

void VerifyModules(const Document& document, const CheckOptions& options, CheckedFile& checked) {
  std::vector<CheckNote> notes;
  std::vector<size_t> begins;
  for (const DocumentModule& each : document.modules) {
    begins.push_back(notes.size());
    // The reader has already reported this module; verifying it would only repeat the errors.
    if (!each.diagnostics.ok()) continue;
    const RuleFindings findings = Verify(each.module, {.warnings = options.warnings});
    checked.errors += findings.errors();
    checked.warnings += findings.warnings();
    for (const RuleFinding& finding : findings.all()) {
      notes.push_back(MakeNote(each.module, finding));
    }
  }
  if (notes.empty()) return;
  FindLocations(document, begins, notes);
  for (CheckNote& note : notes) checked.notes.push_back(std::move(note));
}

// Sorts in file order, for reading from top to bottom. Notes without a line come first and keep
// their order.
void SortByLocation(std::vector<CheckNote>& notes) {
  std::vector<std::tuple<uint32_t, uint32_t, size_t>> order;
  for (size_t i = 0; i < notes.size(); ++i) {
    order.emplace_back(notes[i].diagnostic.location.line, notes[i].diagnostic.location.column, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<CheckNote> sorted;
  for (const auto& [line, column, index] : order) sorted.push_back(std::move(notes[index]));
  notes = std::move(sorted);
}

}  // namespace

CheckedFile CheckFile(const std::string& path, const CheckOptions& options) {
  OpenOptions open = options.open;
  open.keep_source = true;
  Document document = OpenDocument(path, open);
  RequireContents(document);
  return CheckDocument(document, options);
}

CheckedFile CheckDocument(const Document& document, const CheckOptions& options) {
  CheckedFile checked;
  checked.path = document.path;
  checked.kind = document.kind;
  checked.compression = document.compression;
  checked.stored_bytes = document.stored_bytes;
  checked.bytes = document.bytes;
  checked.modules = document.modules.size();
  checked.errors = document.errors();
  checked.warnings = options.warnings ? document.warnings() : 0;
  checked.unreadable = document.modules.empty() && !document.memory;
  for (const Diagnostic* each : document.AllDiagnostics()) {
    if (!options.warnings && each->severity == Severity::kWarning) continue;
    CheckNote note;
    note.diagnostic = *each;
    checked.notes.push_back(std::move(note));
  }
  if (options.rules) {
    VerifyModules(document, options, checked);
    AddFindings(document, checked);
  }
  SortByLocation(checked.notes);
  return checked;
}

}  // namespace halo

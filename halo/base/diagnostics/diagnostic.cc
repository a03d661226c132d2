// Computes locations in a text and implements the shared rendering of a diagnostic. Names, messages
// and advice may quote an input, so the rendering makes them printable: each stays on its line.
#include "halo/base/diagnostics/diagnostic.h"

#include <algorithm>
#include <string>
#include <utility>

#include "halo/base/strings/printable.h"
#include "halo/base/strings/text_style.h"

namespace halo {
namespace {

constexpr size_t kExcerptBefore = 60;
constexpr size_t kExcerptAfter = 60;

}  // namespace

void Diagnostics::Add(Diagnostic diagnostic) {
  (diagnostic.severity == Severity::kError ? errors_ : warnings_) += 1;
  if (kept_.size() < kMaxKept) kept_.push_back(std::move(diagnostic));
}

void Diagnostics::Count(DiagCode code) {
  (code.severity == Severity::kError ? errors_ : warnings_) += 1;
}

void Diagnostics::Append(const Diagnostics& other) {
  for (const Diagnostic& diagnostic : other.kept_) {
    if (kept_.size() < kMaxKept) kept_.push_back(diagnostic);
  }
  errors_ += other.errors_;
  warnings_ += other.warnings_;
}

void Diagnostics::Shift(uint64_t bytes, uint32_t lines) {
  for (Diagnostic& diagnostic : kept_) {
    diagnostic.location.offset += bytes;
    if (diagnostic.location.line != 0) diagnostic.location.line += lines;
  }
}

void Diagnostics::Sort() {
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t i = 0; i < kept_.size(); ++i) order.emplace_back(kept_[i].location.offset, i);
  std::sort(order.begin(), order.end());
  std::vector<Diagnostic> sorted;
  for (const auto& [offset, index] : order) sorted.push_back(std::move(kept_[index]));
  kept_ = std::move(sorted);
}

Diagnostic MakeBinaryDiagnostic(DiagCode code, uint64_t offset, std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.severity = code.severity;
  diagnostic.location.offset = offset;
  diagnostic.message = std::move(message);
  diagnostic.help = code.help;
  return diagnostic;
}

void LineCounter::MoveTo(std::string_view source, size_t offset) {
  if (offset >= begin_ && offset <= known_) return;
  const auto newlines = [](std::string_view text) {
    return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
  };
  if (offset > known_) {
    const std::string_view passed = source.substr(known_, offset - known_);
    line_ += newlines(passed);
    const size_t last = passed.rfind('\n');
    if (last != std::string_view::npos) begin_ = known_ + last + 1;
  } else {
    line_ -= newlines(source.substr(offset, begin_ - offset));
    begin_ = source.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  }
  known_ = offset;
}

Diagnostic MakeDiagnostic(DiagCode code, std::string_view source, uint64_t offset,
                          std::string message) {
  LineCounter lines;
  return MakeDiagnostic(code, source, offset, std::move(message), lines);
}

Diagnostic MakeDiagnostic(DiagCode code, std::string_view source, uint64_t offset,
                          std::string message, LineCounter& lines) {
  Diagnostic diagnostic = MakeBinaryDiagnostic(code, offset, std::move(message));
  LocateDiagnostic(source, offset, lines, diagnostic);
  return diagnostic;
}

void LocateDiagnostic(std::string_view source, uint64_t offset, LineCounter& lines,
                      Diagnostic& diagnostic) {
  const size_t at = std::min<size_t>(offset, source.size());
  lines.MoveTo(source, at);
  const size_t line_begin = lines.begin();
  // A line may be as long as the file: no further than the excerpt could reach.
  const std::string_view after = source.substr(at, kExcerptAfter + 1);
  const size_t line_end = at + std::min(after.find('\n'), after.size());
  diagnostic.location.offset = offset;
  diagnostic.location.line = lines.line();
  diagnostic.location.column = static_cast<uint32_t>(at - line_begin + 1);
  const size_t begin = at - line_begin > kExcerptBefore ? at - kExcerptBefore : line_begin;
  const size_t end = line_end - at > kExcerptAfter ? at + kExcerptAfter : line_end;
  std::string& excerpt = diagnostic.excerpt;
  excerpt.clear();
  if (begin != line_begin) excerpt += "...";
  diagnostic.excerpt_column = static_cast<uint32_t>(excerpt.size() + at - begin);
  excerpt += source.substr(begin, end - begin);
  if (end != line_end) excerpt += "...";
  // Control and non-ASCII bytes could move the caret or affect the terminal.
  for (char& c : excerpt) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = ' ';
  }
}

std::string RenderDiagnostic(const Diagnostic& diagnostic, std::string_view file_name, bool color) {
  return RenderDiagnostic(diagnostic, diagnostic.code.text, file_name, color);
}

std::string RenderDiagnostic(const Diagnostic& diagnostic, std::string_view label,
                             std::string_view file_name, bool color) {
  const bool is_error = diagnostic.severity == Severity::kError;
  const auto style = [color](std::string_view sequence) {
    return color ? sequence : std::string_view();
  };
  std::string out;
  out += style(text_style::kBold);
  out += Printable(file_name);
  if (diagnostic.location.line != 0) {
    out += ":" + std::to_string(diagnostic.location.line) + ":" +
           std::to_string(diagnostic.location.column);
  } else if (diagnostic.location.offset != 0) {
    out += ":byte " + std::to_string(diagnostic.location.offset);
  }
  out += ": ";
  out += style(text_style::kEnd);
  out += style(is_error ? text_style::kError : text_style::kWarning);
  out += is_error ? "error: " : "warning: ";
  out += style(text_style::kEnd);
  out += Printable(diagnostic.message);
  out += " [";
  out += Printable(label);
  out += "]\n";
  if (!diagnostic.excerpt.empty()) {
    out +=
        "  " + Printable(diagnostic.excerpt) + "\n  " + std::string(diagnostic.excerpt_column, ' ');
    out += style(text_style::kCaret);
    out += "^";
    out += style(text_style::kEnd);
    out += "\n";
  }
  if (!diagnostic.help.empty()) out += "  help: " + Printable(diagnostic.help) + "\n";
  return out;
}

}  // namespace halo

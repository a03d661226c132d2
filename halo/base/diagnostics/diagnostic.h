// What is wrong with an input, where, and what to do about it. Readers collect diagnostics and
// continue. Printing them is up to the front ends, except for the shared rendering here.
#ifndef HALO_BASE_DIAGNOSTICS_DIAGNOSTIC_H_
#define HALO_BASE_DIAGNOSTICS_DIAGNOSTIC_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diag_code.h"

namespace halo {

struct SourceLocation {
  uint64_t offset = 0;
  uint32_t line = 0;    // 1-based; 0 when the location is not in a text
  uint32_t column = 0;  // 1-based, in bytes
};

struct Diagnostic {
  DiagCode code{};
  Severity severity = Severity::kError;
  SourceLocation location;
  std::string message;
  std::string help;
  std::string excerpt;          // the line, or the part of a long line around the location
  uint32_t excerpt_column = 0;  // 0-based column of the location within the excerpt
};

class Diagnostics {
 public:
  // A hostile file can consist of nothing but mistakes. Beyond this limit only the count grows.
  static constexpr size_t kMaxKept = 1000;

  void Add(Diagnostic diagnostic);
  [[nodiscard]] const std::vector<Diagnostic>& all() const { return kept_; }
  [[nodiscard]] size_t errors() const { return errors_; }
  [[nodiscard]] size_t warnings() const { return warnings_; }
  [[nodiscard]] bool ok() const { return errors_ == 0; }
  [[nodiscard]] bool empty() const { return errors_ + warnings_ == 0; }
  void Append(const Diagnostics& other);
  // True if another diagnostic would only be counted, so that the caller need not build it.
  [[nodiscard]] bool full() const { return kept_.size() >= kMaxKept; }
  void Count(DiagCode code);
  // For a text that is part of a larger one: `bytes` bytes and `lines` lines precede it.
  void Shift(uint64_t bytes, uint32_t lines);
  // Sorts by location, in the order of the file.
  void Sort();

 private:
  std::vector<Diagnostic> kept_;
  size_t errors_ = 0;
  size_t warnings_ = 0;
};

// Line numbers in a text, counted from the previous query. Mistakes come in order, and counting
// from the top for each would be quadratic.
class LineCounter {
 public:
  // Moves to the line that contains `offset`.
  void MoveTo(std::string_view source, size_t offset);
  [[nodiscard]] uint32_t line() const { return line_; }  // from 1
  [[nodiscard]] size_t begin() const { return begin_; }

 private:
  size_t begin_ = 0;  // of the line
  size_t known_ = 0;  // no newline between the line's begin and here
  uint32_t line_ = 1;
};

// Fills in location, excerpt and help for `offset` in `source`.
Diagnostic MakeDiagnostic(DiagCode code, std::string_view source, uint64_t offset,
                          std::string message, LineCounter& lines);
Diagnostic MakeDiagnostic(DiagCode code, std::string_view source, uint64_t offset,
                          std::string message);
// Fills in location and excerpt only.
void LocateDiagnostic(std::string_view source, uint64_t offset, LineCounter& lines,
                      Diagnostic& diagnostic);
// For inputs that are not text: a byte offset, no line.
Diagnostic MakeBinaryDiagnostic(DiagCode code, uint64_t offset, std::string message);

// file:line:col: error: message [code], the line, a caret, the advice. `color` adds ANSI colours.
std::string RenderDiagnostic(const Diagnostic& diagnostic, std::string_view file_name, bool color);
// The same with the caller's label instead of the code.
std::string RenderDiagnostic(const Diagnostic& diagnostic, std::string_view label,
                             std::string_view file_name, bool color);

}  // namespace halo

#endif  // HALO_BASE_DIAGNOSTICS_DIAGNOSTIC_H_

// Reads a text line by line, and reports diagnostics about a line. The line number is counted along
// the way, so that a text full of errors costs no more than one without.
#ifndef HALO_MEMORY_TEXT_LINES_H_
#define HALO_MEMORY_TEXT_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "halo/base/diagnostics/diagnostic.h"

namespace halo {

class Lines {
 public:
  Lines(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  bool Next() {
    start_ = next_;
    if (start_ >= text_.size()) {
      line_ = {};
      ++number_;
      return false;
    }
    const size_t end = text_.find('\n', start_);
    ended_ = end != std::string_view::npos;
    line_ = text_.substr(start_, (ended_ ? end : text_.size()) - start_);
    next_ = ended_ ? end + 1 : text_.size();
    ++number_;
    return true;
  }

  // After the last line: an empty line at the end of the text, for reporting what is missing there.
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] bool ended() const { return ended_; }        // by a newline
  [[nodiscard]] uint32_t number() const { return number_; }  // from 1

  // Reports about the character at `column`, counted from 0, of the current line.
  void Report(DiagCode code, size_t column, std::string message) {
    Diagnostic diagnostic = MakeDiagnostic(code, line_, column, std::move(message));
    diagnostic.location.offset += start_;
    diagnostic.location.line = number_;
    diagnostics_.Add(std::move(diagnostic));
  }

 private:
  std::string_view text_;
  Diagnostics& diagnostics_;
  std::string_view line_;
  size_t start_ = 0;
  size_t next_ = 0;
  uint32_t number_ = 0;
  bool ended_ = true;
};

}  // namespace halo

#endif  // HALO_MEMORY_TEXT_LINES_H_

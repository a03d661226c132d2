// A cursor over one attribute's text, for the small notations (shardings, replica groups) that a
// module keeps as text and parses only on request. Skips whitespace and comments between tokens.
// The HLO text itself is read elsewhere.
#ifndef HALO_IR_SHARDING_SCANNER_H_
#define HALO_IR_SHARDING_SCANNER_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/strings/escape.h"

namespace halo {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The next character that is neither whitespace nor in a comment; 0 at the end.
  [[nodiscard]] char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[nodiscard]] bool AtEnd() {
    Skip();
    return at_ >= text_.size();
  }
  [[nodiscard]] size_t position() const { return at_; }
  void Rewind(size_t position) { at_ = position; }
  [[nodiscard]] std::string_view Since(size_t position) const {
    return text_.substr(position, at_ - position);
  }

  bool Eat(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  bool Eat(std::string_view token) {
    Skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // A name of letters, digits, '_' and '-'; empty if there is none.
  std::string_view Word() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() && IsWordChar(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // Consumes `word` only if it is a whole word.
  bool EatWord(std::string_view word) {
    const size_t before = at_;
    if (Word() == word) return true;
    at_ = before;
    return false;
  }
  std::optional<int64_t> Int() {
    Skip();
    int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(end - begin);
    return value;
  }
  // Integers separated by commas, at least one.
  bool Ints(std::vector<int64_t>& out) {
    do {
      const auto value = Int();
      if (!value) return false;
      out.push_back(*value);
    } while (Eat(','));
    return true;
  }
  // For a text whose notation is known but whose parts do not fit together. A text that fails
  // without this may be in a notation of a later XLA.
  void MarkContradiction() { contradicts_ = true; }
  [[nodiscard]] bool contradicts() const { return contradicts_; }
  // A string in single or double quotes, unescaped.
  std::optional<std::string> Quoted() {
    const char quote = Peek();
    if (quote != '"' && quote != '\'') return std::nullopt;
    const size_t begin = at_ + 1;
    size_t end = begin;
    while (end < text_.size() && text_[end] != quote) end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return std::nullopt;
    at_ = end + 1;
    return CUnescaped(text_.substr(begin, end - begin));
  }

 private:
  static bool IsWordChar(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  }
  void Skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '/' && text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  bool contradicts_ = false;
};

}  // namespace halo

#endif  // HALO_IR_SHARDING_SCANNER_H_

// A position in a padded text and the smallest steps over it: blanks, comments, names, integers. It
// does not depend on HLO's grammar and reports nothing; the callers report errors.
#ifndef HALO_TEXT_READ_CURSOR_H_
#define HALO_TEXT_READ_CURSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "halo/base/strings/scan.h"

namespace halo {

enum CharClass : uint8_t {
  kNameStart = 1 << 0,  // [A-Za-z_]
  kNameChar = 1 << 1,   // [A-Za-z0-9_.-]
  kDigit = 1 << 2,
  kBlank = 1 << 3,
  kMayBeBlank = 1 << 4,  // a blank, or '/', which may open a comment
};

constexpr std::array<uint8_t, 256> MakeCharClasses() {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    uint8_t bits = 0;
    if (alpha) bits |= kNameStart;
    if (alpha || digit || c == '.' || c == '-') bits |= kNameChar;
    if (digit) bits |= kDigit;
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') bits |= kBlank | kMayBeBlank;
    if (c == '/') bits |= kMayBeBlank;
    classes[static_cast<size_t>(c)] = bits;
  }
  return classes;
}
inline constexpr std::array<uint8_t, 256> kCharClasses = MakeCharClasses();
inline bool IsClass(char c, uint8_t bits) {
  return (kCharClasses[static_cast<unsigned char>(c)] & bits) != 0;
}

class Cursor {
 public:
  Cursor() = default;
  // `text` must be followed by at least 16 readable zero bytes.
  explicit Cursor(std::string_view text)
      : begin_(text.data()), p_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* at() const { return p_; }
  [[nodiscard]] const char* end() const { return end_; }
  [[nodiscard]] uint64_t offset() const { return static_cast<uint64_t>(p_ - begin_); }
  [[nodiscard]] uint64_t OffsetOf(const char* position) const {
    return static_cast<uint64_t>(position - begin_);
  }
  void MoveTo(const char* position) { p_ = position; }
  void Step(size_t n = 1) { p_ += n; }
  [[nodiscard]] char peek() const { return *p_; }
  [[nodiscard]] char peek(size_t ahead) const { return p_[ahead]; }
  [[nodiscard]] bool at_end() const { return p_ >= end_; }

  // False if a comment is unterminated; the cursor is then at the comment.
  bool SkipBlanks() {
    if (*p_ == ' ') ++p_;
    return !IsClass(*p_, kMayBeBlank) || SkipManyBlanks();
  }

  bool SkipManyBlanks() {
    for (;;) {
      while (IsClass(*p_, kBlank)) ++p_;
      if (*p_ != '/') return true;
      if (p_[1] == '/') {
        const void* line = std::memchr(p_, '\n', static_cast<size_t>(end_ - p_));
        p_ = line == nullptr ? end_ : static_cast<const char*>(line);
      } else if (p_[1] == '*') {
        const std::string_view rest(p_ + 2, static_cast<size_t>(end_ - p_ - 2));
        const size_t close = rest.find("*/");
        if (close == std::string_view::npos) return false;
        p_ += close + 4;
      } else {
        return true;
      }
    }
  }

  bool Take(char c) {
    if (*p_ != c) return false;
    ++p_;
    return true;
  }
  bool TakeText(std::string_view text) {
    if (static_cast<size_t>(end_ - p_) < text.size() ||
        std::memcmp(p_, text.data(), text.size()) != 0) {
      return false;
    }
    p_ += text.size();
    return true;
  }
  // A whole word: `text` not followed by more name characters.
  bool TakeWord(std::string_view text) {
    const char* before = p_;
    if (!TakeText(text)) return false;
    if (!IsClass(*p_, kNameChar)) return true;
    p_ = before;
    return false;
  }

  // Empty if there is no name here.
  std::string_view TakeName() {
    const char* start = p_;
    if (!IsClass(*p_, kNameStart)) return {};
    do {
      ++p_;
    } while (IsClass(*p_, kNameChar));
    return {start, static_cast<size_t>(p_ - start)};
  }

  enum class IntStatus : uint8_t { kOk, kNone, kOverflow };

  // [-]digits. Values up to 2^64-1 wrap into int64, as in XLA.
  IntStatus TakeInt(int64_t& value) {
    const char* start = p_;
    const bool negative = *p_ == '-';
    const char* digits = negative ? p_ + 1 : p_;
    if (!IsClass(*digits, kDigit)) return IntStatus::kNone;
    uint64_t magnitude = 0;
    const char* q = digits;
    for (; IsClass(*q, kDigit); ++q) {
      const auto digit = static_cast<uint64_t>(*q - '0');
      if (q - digits >= 18 && (magnitude > (UINT64_MAX - digit) / 10)) {
        p_ = start;
        return IntStatus::kOverflow;
      }
      magnitude = magnitude * 10 + digit;
    }
    if (negative && magnitude > uint64_t{1} << 63) return IntStatus::kOverflow;
    p_ = q;
    value = static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
    return IntStatus::kOk;
  }

  // The content of a quoted string, still escaped; nullopt if it is unterminated.
  std::optional<std::string_view> TakeQuoted(bool& escaped) {
    const char quote = *p_;
    const char* start = p_ + 1;
    const char* q = start;
    escaped = false;
    for (;;) {
      q = FindAnyOrZero(q, quote, '\\');
      if (*q == quote) break;
      if (q >= end_) return std::nullopt;
      if (*q == '\\') {
        escaped = true;
        if (q + 1 >= end_) return std::nullopt;
        ++q;
      }
      ++q;
    }
    p_ = q + 1;
    return std::string_view(start, static_cast<size_t>(q - start));
  }

 private:
  const char* begin_ = nullptr;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace halo

#endif  // HALO_TEXT_READ_CURSOR_H_

// Recognizes log prefixes by their fixed parts; times and numbers may have any value.
#include "halo/text/framing/log_prefix.h"

#include "halo/base/strings/characters.h"

namespace halo {
namespace {

bool IsLevel(char c) { return c == 'I' || c == 'W' || c == 'E' || c == 'F'; }

// A position in one line. A Take that fails leaves the position unchanged.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  [[nodiscard]] size_t at() const { return at_; }
  void MoveTo(size_t at) { at_ = at; }
  [[nodiscard]] std::string_view From(size_t begin) const {
    return text_.substr(begin, at_ - begin);
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool TakeText(std::string_view text) {
    if (!text_.substr(at_).starts_with(text)) return false;
    at_ += text.size();
    return true;
  }
  bool TakeLevel() {
    if (at_ >= text_.size() || !IsLevel(text_[at_])) return false;
    ++at_;
    return true;
  }
  size_t TakeDigits() {
    const size_t begin = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ - begin;
  }
  bool TakeDigits(size_t wanted) {
    const size_t begin = at_;
    if (TakeDigits() == wanted) return true;
    at_ = begin;
    return false;
  }
  void TakeBlanks() {
    while (Take(' ')) {
    }
  }

  // 12:34:56.789012; absl prints seconds since 1970 in the last part when it has no clock yet.
  bool TakeTime() {
    const size_t begin = at_;
    if (TakeDigits(2) && Take(':') && TakeDigits(2) && Take(':') && TakeDigits() != 0) {
      if (!Take('.') || TakeDigits() != 0) return true;
    }
    at_ = begin;
    return false;
  }

  // file.cc:12]
  bool TakeSite(std::string_view& site) {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ':' && text_[at_] != ' ' && text_[at_] != ']') ++at_;
    if (at_ != begin && Take(':') && TakeDigits() != 0) {
      const size_t end = at_;
      if (Take(']')) {
        site = text_.substr(begin, end - begin);
        return true;
      }
    }
    at_ = begin;
    return false;
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

// I0101 12:34:56.789012   77 file.cc:12]
bool TakeGlog(Line& line, std::string_view& site) {
  const size_t begin = line.at();
  // Some loggers also write the year.
  if (line.TakeLevel() && (line.TakeDigits(4) || line.TakeDigits(8)) && line.Take(' ') &&
      line.TakeTime() && line.Take(' ')) {
    line.TakeBlanks();
    if (line.TakeDigits() != 0 && line.Take(' ') && line.TakeSite(site)) return true;
  }
  line.MoveTo(begin);
  return false;
}

// 2026-01-01 12:00:00.000000: I file.cc:12]
bool TakeDated(Line& line, std::string_view& site) {
  const size_t begin = line.at();
  if (line.TakeDigits(4) && line.Take('-') && line.TakeDigits(2) && line.Take('-') &&
      line.TakeDigits(2) && (line.Take(' ') || line.Take('T')) && line.TakeTime() &&
      line.TakeText(": ") && line.TakeLevel() && line.Take(' ') && line.TakeSite(site)) {
    return true;
  }
  line.MoveTo(begin);
  return false;
}

// "3: " or "[1,0]<stdout>:"
bool TakeLabel(Line& line, std::string_view& label) {
  const size_t begin = line.at();
  line.TakeBlanks();
  if (line.TakeDigits() != 0 && line.Take(':') && line.Take(' ')) {
    label = line.From(begin);
    return true;
  }
  line.MoveTo(begin);
  if (line.Take('[') && line.TakeDigits() != 0) {
    if (line.Take(',')) line.TakeDigits();
    if (line.Take(']') && (line.TakeText("<stdout>:") || line.TakeText("<stderr>:"))) {
      label = line.From(begin);
      return true;
    }
  }
  line.MoveTo(begin);
  return false;
}

}  // namespace

LogPrefix FindLogPrefix(std::string_view text) {
  LogPrefix prefix;
  Line line(text);
  TakeLabel(line, prefix.label);
  if (TakeGlog(line, prefix.site) || TakeDated(line, prefix.site)) line.Take(' ');
  prefix.length = line.at();
  return prefix;
}

}  // namespace halo

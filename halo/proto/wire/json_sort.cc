// A small recursive parser. Fields are compared as text, name first.
#include "halo/proto/wire/json_sort.h"

#include <algorithm>
#include <vector>

namespace halo {
namespace {

constexpr int kMaxJsonNesting = 100;

class Sorter {
 public:
  explicit Sorter(std::string_view text) : text_(text) {}

  std::optional<std::string> Run() {
    std::string out;
    if (!Value(out, 0)) return std::nullopt;
    Skip();
    if (at_ != text_.size()) return std::nullopt;
    return out;
  }

 private:
  void Skip() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }
  char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  bool Value(std::string& out, int depth) {
    if (depth > kMaxJsonNesting) return false;
    if (Peek() == '{') return Items(out, '{', '}', depth);
    if (Peek() == '[') return Items(out, '[', ']', depth);
    return Scalar(out);
  }

  bool Items(std::string& out, char open, char close, int depth) {
    Take(open);
    std::vector<std::string> items;
    while (!Take(close)) {
      std::string& item = items.emplace_back();
      if (open == '{') {
        if (!Scalar(item) || !Take(':')) return false;
        item += ':';
      }
      if (!Value(item, depth + 1)) return false;
      Take(',');
    }
    if (open == '{') std::sort(items.begin(), items.end());
    out += open;
    for (size_t i = 0; i < items.size(); ++i) {
      if (i != 0) out += ',';
      out += items[i];
    }
    out += close;
    return true;
  }

  // A quoted string, a number or a word.
  bool Scalar(std::string& out) {
    Skip();
    const size_t begin = at_;
    if (Take('"')) {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      if (at_ >= text_.size()) return false;
      ++at_;
    } else {
      constexpr std::string_view kEnds = " \n\t\r,:{}[]\"";
      while (at_ < text_.size() && kEnds.find(text_[at_]) == std::string_view::npos) ++at_;
      if (at_ == begin) return false;
    }
    out += text_.substr(begin, at_ - begin);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::string> SortedJson(std::string_view text) { return Sorter(text).Run(); }

}  // namespace halo

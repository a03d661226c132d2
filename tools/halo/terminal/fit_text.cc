// Measures and breaks text character by character. A character is a sequence of UTF-8; bytes that
// are not UTF-8 count one column each.
#include "tools/halo/terminal/fit_text.h"

#include <algorithm>
#include <cctype>

#include "halo/base/strings/characters.h"
#include "halo/base/strings/printable.h"
#include "halo/base/strings/text_style.h"
#include "halo/base/strings/utf8.h"

namespace halo::tool {
namespace {

// Length of the escape sequence at the front, such as "\033[1m"; 0 if there is none.
size_t EscapeLength(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;", 2);
  return end == std::string_view::npos ? text.size() : end + 1;
}

size_t CharacterLength(std::string_view text) {
  if (const size_t escape = EscapeLength(text); escape != 0) return escape;
  return std::max<size_t>(Utf8Length(text), 1);
}

struct CodeRange {
  char32_t first, last;
};
// The blocks whose characters terminals draw two columns wide, and those drawn over the previous
// character.
constexpr CodeRange kWide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF},   {0xAC00, 0xD7A3},
                               {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
                               {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr CodeRange kCombining[] = {{0x0300, 0x036F}, {0x200B, 0x200F}, {0xFE00, 0xFE0F}};

size_t CharacterWidth(std::string_view character) {
  if (character.front() == '\033' && character.size() > 1) return 0;
  if (character.size() == 1) return 1;
  const char32_t code = Utf8CodePoint(character);
  const auto holds = [code](CodeRange range) { return range.first <= code && code <= range.last; };
  if (std::ranges::any_of(kCombining, holds)) return 0;
  return std::ranges::any_of(kWide, holds) ? 2 : 1;
}

// The bytes at the front that take at most `width` columns.
size_t BytesWithin(std::string_view text, size_t width) {
  size_t at = 0;
  for (size_t used = 0; at < text.size();) {
    const size_t length = CharacterLength(text.substr(at));
    used += CharacterWidth(text.substr(at, length));
    if (used > width) break;
    at += length;
  }
  return at;
}

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Whether a word that is too long may continue on the next line at `at`: never inside a number,
// and outside brackets not at the comma of one.
bool MayBreak(std::string_view word, size_t at) {
  const char before = word[at - 1];
  const char after = word[at];
  if (std::string_view("/;)]}").find(before) != std::string_view::npos) {
    return std::string_view(",;:.)]}").find(after) == std::string_view::npos;
  }
  if (before == ',') {
    const bool is_grouped = at >= 2 && IsDigit(word[at - 2]) && IsDigit(after);
    return !is_grouped || word.substr(0, at).rfind('[') != std::string_view::npos;
  }
  return (before == ':' || before == '=' || before == '_' || before == '-') && IsAlnum(after);
}

// Where to break a word that is wider than `width`.
size_t BreakOf(std::string_view word, size_t width) {
  const size_t most = std::max<size_t>(BytesWithin(word, width), CharacterLength(word));
  for (size_t at = most; at > most / 2 && at > 0; --at) {
    if (at < word.size() && MayBreak(word, at)) return at;
  }
  // No good place: at least not inside a number.
  size_t at = most;
  while (at > 1 && at < word.size() && IsDigit(word[at - 1]) && IsDigit(word[at])) --at;
  return at > 1 ? at : most;
}

void WrapOneLine(std::string_view line, size_t first_width, size_t width,
                 std::vector<std::string>& out) {
  std::string current;
  size_t used = 0;
  size_t left = first_width;
  const auto flush = [&] {
    current.erase(current.find_last_not_of(' ') + 1);
    out.push_back(std::move(current));
    current.clear();
    used = 0;
    left = width;
  };
  const size_t begin = std::min(line.find_first_not_of(' '), line.size());
  // An indentation wider than the line would leave no space for the first word.
  used = begin < first_width ? begin : first_width / 2;
  current.assign(used, ' ');
  bool is_empty = true;
  for (size_t at = begin; at < line.size();) {
    const size_t spaces = std::min(line.find_first_not_of(' ', at), line.size()) - at;
    const size_t word_end = std::min(line.find(' ', at + spaces), line.size());
    std::string_view word = line.substr(at + spaces, word_end - at - spaces);
    at = word_end;
    if (word.empty()) break;
    const size_t gap = is_empty ? 0 : spaces;
    if (used + gap + DisplayWidth(word) <= left) {
      current.append(gap, ' ').append(word);
      used += gap + DisplayWidth(word);
      is_empty = false;
      continue;
    }
    if (!is_empty) flush();
    while (true) {
      const size_t space = left > used ? left - used : 1;
      if (BytesWithin(word, space) == word.size()) break;
      const size_t end = BreakOf(word, space);
      if (end >= word.size()) break;
      current += word.substr(0, end);
      word.remove_prefix(end);
      flush();
    }
    current += word;
    used += DisplayWidth(word);
    is_empty = false;
  }
  flush();
}

// "(a, b, c)" as its elements; empty if it is no tuple.
std::vector<std::string> ElementsOf(std::string_view shape) {
  std::vector<std::string> elements;
  if (!shape.starts_with('(') || !shape.ends_with(')')) return elements;
  int depth = 0;
  std::string element;
  for (const char c : shape.substr(1, shape.size() - 2)) {
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      elements.push_back(std::move(element));
      element.clear();
    } else if (c != ' ' || !element.empty()) {
      element += c;
    }
  }
  elements.push_back(std::move(element));
  return elements;
}

// A line that holds nothing but a caret, and its column.
bool CaretOf(std::string_view line, size_t& column) {
  column = 0;
  bool found = false;
  for (size_t at = 0; at < line.size();) {
    const size_t length = CharacterLength(line.substr(at));
    const std::string_view character = line.substr(at, length);
    at += length;
    if (CharacterWidth(character) == 0) continue;
    if (character == "^" && !found) {
      found = true;
    } else if (character != " " || found) {
      return false;
    } else {
      ++column;
    }
  }
  return found;
}

// The part of an excerpt around its caret, and how far the caret moves to the left.
std::string FitExcerpt(std::string_view line, size_t width, size_t& column) {
  constexpr std::string_view kDots = "...";
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  std::string_view text = line.substr(indent);
  const size_t left = width > indent + 2 * kDots.size() + 1 ? width - indent - 2 * kDots.size() : 1;
  const size_t at = column > indent ? column - indent : 0;
  const size_t begin = at <= left * 2 / 3 ? 0 : std::min(at - left / 2, text.size());
  std::string out(indent, ' ');
  if (begin != 0) out += kDots;
  column = indent + (begin != 0 ? kDots.size() : 0) + at - begin;
  text.remove_prefix(begin);
  const size_t end = BytesWithin(text, left);
  out += text.substr(0, end);
  if (end < text.size()) out += kDots;
  return out;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text.substr(at));
    width += CharacterWidth(text.substr(at, length));
    at += length;
  }
  return width;
}

std::string FitName(std::string_view name, size_t width, std::string_view ellipsis) {
  if (width == 0 || DisplayWidth(name) <= width) return std::string(name);
  const size_t kept = width - std::min(width, DisplayWidth(ellipsis));
  // The end of a name usually tells more than its beginning.
  const size_t front = BytesWithin(name, kept / 2);
  size_t back = front;
  for (size_t rest = DisplayWidth(name.substr(front)); rest > kept - kept / 2;) {
    const size_t length = CharacterLength(name.substr(back));
    rest -= CharacterWidth(name.substr(back, length));
    back += length;
  }
  return std::string(name.substr(0, front)).append(ellipsis).append(name.substr(back));
}

std::string ShapeWith(ShapeDetail detail, std::string_view shape) {
  if (detail == ShapeDetail::kFull) return std::string(shape);
  std::string out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != '{') {
      out += shape[i];
      continue;
    }
    const size_t end = shape.find('}', i);
    if (end == std::string_view::npos) return out.append(shape.substr(i));
    const std::string_view layout = shape.substr(i, end - i);
    if (detail == ShapeDetail::kNoTiling) out.append(layout.substr(0, layout.find(':'))) += '}';
    i = end;
  }
  return out;
}

std::string FitShape(std::string_view shape, size_t width, size_t lines,
                     std::string_view ellipsis) {
  if (width == 0 || shape.size() <= width) return std::string(shape);
  std::string fitted = ShapeWith(ShapeDetail::kNoTiling, shape);
  if (fitted.size() > width) fitted = ShapeWith(ShapeDetail::kNoLayout, shape);
  if (fitted.size() <= width) return fitted;
  // Lines break between elements, so they are not filled to the end.
  const size_t most = lines == 1 ? width : lines * width * 3 / 4;
  const std::vector<std::string> elements = ElementsOf(fitted);
  if (elements.size() < 2 || fitted.size() <= most) return fitted;
  std::string out = "(" + elements[0];
  for (size_t i = 1; i < elements.size(); ++i) {
    const std::string more =
        ", " + std::string(ellipsis) + " " + std::to_string(elements.size() - i) + " more)";
    const std::string next = ", " + elements[i];
    if (DisplayWidth(out) + next.size() + DisplayWidth(more) > most) return out + more;
    out += next;
  }
  return out + ")";
}

std::vector<std::string> WrapLines(std::string_view text, size_t width) {
  std::vector<std::string> lines;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (width == 0 || DisplayWidth(line) <= width) {
      lines.emplace_back(line);
    } else {
      WrapOneLine(line, width, width, lines);
    }
    at = end + 1;
  }
  return lines;
}

std::string WrapText(std::string_view text, size_t width, size_t hang) {
  if (width == 0) return std::string(text);
  if (width <= hang + 4) hang = width / 2;
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    std::vector<std::string> lines;
    if (DisplayWidth(line) <= width) {
      lines.emplace_back(line);
    } else {
      WrapOneLine(line, width, width - hang, lines);
    }
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i != 0) out.append("\n").append(hang, ' ');
      out += lines[i];
    }
    if (end < text.size()) out += '\n';
    at = end + 1;
  }
  return out;
}

std::string LabelledText(std::string_view label, size_t label_width, std::string_view text,
                         size_t width) {
  std::string head = "  " + std::string(label);
  const size_t column = label_width + 2;
  if (DisplayWidth(head) < column) head.append(column - DisplayWidth(head), ' ');
  std::string line = head + std::string(text);
  return WrapText(line, width, column) + "\n";
}

std::string FitLines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::string_view newline = end < text.size() ? "\n" : "";
    at = end + newline.size();
    if (DisplayWidth(line) <= width) {
      out.append(line).append(newline);
      continue;
    }
    const size_t next_end = std::min(text.find('\n', at), text.size());
    const std::string_view next = at < text.size() ? text.substr(at, next_end - at) : "";
    size_t column = 0;
    if (CaretOf(next, column)) {
      const size_t before = column;
      out.append(FitExcerpt(line, width, column)).append(newline);
      // The caret's own line keeps its colors.
      const size_t spaces = std::min(next.find_first_not_of(' '), next.size());
      out.append(std::max(spaces + column, before) - before, ' ').append(next.substr(spaces));
      if (next_end < text.size()) out += '\n';
      at = next_end + 1;
      continue;
    }
    const size_t indent = std::min(line.find_first_not_of(' '), line.size());
    out.append(WrapText(line, width, std::min(indent + 2, width / 2))).append(newline);
  }
  return out;
}

std::string Painted(std::string_view text, Paint paint, bool color) {
  if (!color) return Printable(text);
  const std::string_view style = paint == Paint::kBold   ? text_style::kBold
                                 : paint == Paint::kGood ? text_style::kGood
                                                         : text_style::kError;
  return std::string(style).append(Printable(text)).append(text_style::kEnd);
}

}  // namespace halo::tool

// Escapes and unescapes quoted strings. Nothing here depends on where the strings come from.
#include "halo/base/strings/escape.h"

#include <cstdint>

#include "halo/base/strings/utf8.h"

namespace halo {
namespace {

bool NeedsEscape(unsigned char c) {
  return c < 0x20 || c >= 0x7F || c == '"' || c == '\'' || c == '\\';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char SimpleEscape(char c) {
  switch (c) {
    case 'a': return '\a';
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'v': return '\v';
    case '\\':
    case '?':
    case '\'':
    case '"': return c;
    default: return 0;
  }
}

}  // namespace

void AppendCEscaped(std::string_view text, TextBuffer& out) {
  size_t clean = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (!NeedsEscape(c)) continue;
    out << text.substr(clean, i - clean);
    clean = i + 1;
    switch (c) {
      case '\n': out << "\\n"; break;
      case '\r': out << "\\r"; break;
      case '\t': out << "\\t"; break;
      case '"': out << "\\\""; break;
      case '\'': out << "\\'"; break;
      case '\\': out << "\\\\"; break;
      default:
        out << '\\' << static_cast<char>('0' + (c >> 6)) << static_cast<char>('0' + (c >> 3 & 7))
            << static_cast<char>('0' + (c & 7));
    }
  }
  out << text.substr(clean);
}

std::string CEscaped(std::string_view text) {
  TextBuffer out;
  AppendCEscaped(text, out);
  return out.str();
}

std::optional<std::string> CUnescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return std::nullopt;
    const char c = text[i];
    if (const char simple = SimpleEscape(c)) {
      out += simple;
    } else if (c >= '0' && c <= '7') {
      unsigned value = 0;
      size_t digits = 0;
      while (digits < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7') {
        value = value * 8 + static_cast<unsigned>(text[i++] - '0');
        ++digits;
      }
      --i;
      if (value > 0xFF) return std::nullopt;
      out += static_cast<char>(value);
    } else if (c == 'x' || c == 'X') {
      unsigned value = 0;
      size_t digits = 0;
      while (i + 1 < text.size() && HexDigit(text[i + 1]) >= 0) {
        value = value * 16 + static_cast<unsigned>(HexDigit(text[++i]));
        ++digits;
        if (value > 0xFF) return std::nullopt;
      }
      if (digits == 0) return std::nullopt;
      out += static_cast<char>(value);
    } else if (c == 'u' || c == 'U') {
      const size_t wanted = c == 'u' ? 4 : 8;
      if (text.size() - i - 1 < wanted) return std::nullopt;
      uint32_t rune = 0;
      for (size_t k = 0; k < wanted; ++k) {
        const int digit = HexDigit(text[++i]);
        if (digit < 0) return std::nullopt;
        rune = rune << 4 | static_cast<uint32_t>(digit);
      }
      if (rune > 0x10FFFF || (rune >= 0xD800 && rune < 0xE000)) return std::nullopt;
      AppendUtf8(rune, out);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

bool LooksLikeJsonDict(std::string_view text) {
  if (text.empty() || text.front() != '{') return false;
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          // A backslash escapes the next character, except a raw line break.
          if (text[i] == '\\' && (++i >= text.size() || text[i] == '\n')) return false;
        }
        if (i >= text.size()) return false;
        break;
      case '{': ++depth; break;
      case '}':
        if (--depth == 0) {
          for (++i; i < text.size(); ++i) {
            if (text[i] != ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r')
              return false;
          }
          return true;
        }
        break;
      default: break;
    }
  }
  return false;
}

}  // namespace halo

// Escapes character by character, by a table of ranges of Unicode.
#include "halo/base/strings/printable.h"

#include <algorithm>
#include <cstddef>

#include "halo/base/strings/hex.h"
#include "halo/base/strings/utf8.h"

namespace halo {
namespace {

struct UnprintableRange {
  char32_t first, last;
};
// Controls (C0, DEL, C1), separators of lines, marks of the writing direction, characters without a
// width, and noncharacters. Tags and variation selectors can hide a whole text in a name; those
// that choose the form of an emoji (FE00 to FE0F) are left.
constexpr UnprintableRange kUnprintable[] = {
    {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},       {0x061C, 0x061C},   {0x180E, 0x180E},
    {0x200B, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},
    {0xFFF9, 0xFFFB}, {0xFFFE, 0xFFFF}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool IsPlainAscii(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F;
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kHexDigits[byte >> 4];
    out += kHexDigits[byte & 15];
  }
}

}  // namespace

bool IsUnprintable(char32_t code) {
  return std::ranges::any_of(kUnprintable, [code](UnprintableRange range) {
    return range.first <= code && code <= range.last;
  });
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    if (IsPlainAscii(text[at])) {
      out += text[at++];
      continue;
    }
    const size_t valid = Utf8Length(text.substr(at));
    const std::string_view character = text.substr(at, std::max<size_t>(valid, 1));
    if (valid != 0 && !IsUnprintable(Utf8CodePoint(character))) {
      out += character;
    } else {
      AppendEscaped(character, out);
    }
    at += character.size();
  }
  return out;
}

}  // namespace halo

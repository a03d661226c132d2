// Aligns columns.
#include "tools/halo/terminal/text_table.h"

#include <algorithm>

namespace halo::tool {

std::string TextTable::Text(size_t indent) const {
  std::vector<size_t> widths(alignment_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      if (widths[i] == 0) continue;
      const std::string gap(widths[i] - row[i].size(), ' ');
      if (i != 0) line += "  ";
      line += alignment_[i] == 'r' ? gap + row[i] : row[i] + gap;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string Shortened(std::string_view text, size_t width) {
  if (text.size() <= width) return std::string(text);
  const size_t kept = width - 3;
  const size_t front = kept / 2;
  return std::string(text.substr(0, front)) + "..." +
         std::string(text.substr(text.size() - (kept - front)));
}

std::string Printable(std::string_view name) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(name[i]); };
  std::string out;
  const auto escape = [&](size_t from, size_t count) {
    for (size_t i = from; i < from + count; ++i) {
      out += "\\x";
      out += kHex[byte(i) >> 4];
      out += kHex[byte(i) & 15];
    }
  };
  for (size_t i = 0; i < name.size(); ++i) {
    // U+202A to U+202E and U+2066 to U+2069 end in these bytes; C1 controls are C2 80 to C2 9F.
    const bool turns = name.substr(i, 2) == "\xE2\x80" && i + 2 < name.size() &&
                       byte(i + 2) >= 0xAA && byte(i + 2) <= 0xAE;
    const bool isolates = name.substr(i, 2) == "\xE2\x81" && i + 2 < name.size() &&
                          byte(i + 2) >= 0xA6 && byte(i + 2) <= 0xA9;
    const bool controls = byte(i) == 0xC2 && i + 1 < name.size() && byte(i + 1) < 0xA0;
    if (turns || isolates) {
      escape(i, 3);
      i += 2;
    } else if (controls) {
      escape(i, 2);
      ++i;
    } else if (byte(i) < 0x20 || byte(i) == 0x7F) {
      escape(i, 1);
    } else {
      out += name[i];
    }
  }
  return out;
}

}  // namespace halo::tool

// Lining up columns.
#include "tools/halo/text_table.h"

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

}  // namespace halo::tool

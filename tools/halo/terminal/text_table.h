// Rows of cells in aligned columns. If the rows are wider than the terminal, cells are fitted by
// the kind of their column, and columns that still find no space continue on the next line.
#ifndef TOOLS_HALO_TERMINAL_TEXT_TABLE_H_
#define TOOLS_HALO_TERMINAL_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/halo/terminal/fit_text.h"

namespace halo::tool {

class TextTable {
 public:
  // One letter per column:
  //   r  a number: right-aligned, never shortened
  //   l  a word: left-aligned, never shortened
  //   n  a name: loses its middle
  //   s  a shape: loses its layout, then continues on further lines
  //   t  prose: continues on further lines
  explicit TextTable(std::string kinds) : kinds_(std::move(kinds)) {}

  // Cells are data: they become printable and are neither styled nor more than one line.
  void Add(std::vector<std::string> cells);
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Each row begins on a separate line, indented by `indent` spaces. `width` is that of the
  // terminal; 0 means that there is no limit.
  [[nodiscard]] std::string Text(size_t indent, size_t width = 0) const;

 private:
  struct Column;
  [[nodiscard]] std::vector<Column> Measure(ShapeDetail detail) const;
  void LeaveOutLongText(std::vector<Column>& columns) const;
  static void Fold(std::vector<Column>& columns, size_t indent, size_t width);
  static void Distribute(std::vector<Column>& columns, size_t indent, size_t width);
  static void AddLine(const std::vector<std::string>& row, const std::vector<Column>& columns,
                      size_t line, size_t indent, std::string& out);

  std::string kinds_;
  std::vector<std::vector<std::string>> rows_;
};

// For output without a width: printable, and the middle of a longer text is replaced by "...".
std::string Shortened(std::string_view text, size_t width);

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_TEXT_TABLE_H_

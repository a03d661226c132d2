// Measures columns, decides on which line of a row each one is printed, and fits the cells.
#include "tools/halo/terminal/text_table.h"

#include <algorithm>

#include "halo/base/strings/printable.h"
#include "tools/halo/terminal/fit_text.h"

namespace halo::tool {
namespace {

constexpr size_t kGap = 2;
constexpr size_t kFolded = 4;  // indentation of a row's further lines
// The least width to which a column is squeezed before it moves to the next line.
constexpr size_t kLeastName = 20;
constexpr size_t kLeastText = 28;
constexpr size_t kLeastShape = 32;
constexpr size_t kShapeLines = 3;  // of a long tuple
// Without a limit, longer prose pushes what follows it in its own row only.
constexpr size_t kWidestText = 100;

bool IsFlexible(char kind) { return kind == 'n' || kind == 's' || kind == 't'; }

size_t LeastWidth(char kind) {
  return kind == 'n' ? kLeastName : kind == 's' ? kLeastShape : kLeastText;
}

std::vector<std::string> CellLines(const std::string& cell, char kind, ShapeDetail detail,
                                   size_t width) {
  const std::string text = kind == 's' ? ShapeWith(detail, cell) : cell;
  if (DisplayWidth(text) <= width || !IsFlexible(kind)) return {text};
  if (kind == 'n') return {FitName(text, width)};
  if (kind == 's') return WrapLines(FitShape(text, width, kShapeLines), width);
  return WrapLines(text, width);
}

}  // namespace

struct TextTable::Column {
  char kind = 'l';
  ShapeDetail detail = ShapeDetail::kFull;
  size_t natural = 0;     // width of the widest cell
  size_t least = 0;       // to which it may be squeezed
  size_t width = 0;       // in the result
  bool is_fitted = true;  // cells do not exceed the width
  size_t line = 0;        // of the row
};

void TextTable::Add(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<TextTable::Column> TextTable::Measure(ShapeDetail detail) const {
  std::vector<Column> columns(kinds_.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    column.kind = kinds_[i];
    column.detail = detail;
    for (const auto& row : rows_) {
      if (i >= row.size()) continue;
      const bool is_shape = column.kind == 's' && detail != ShapeDetail::kFull;
      column.natural =
          std::max(column.natural, DisplayWidth(is_shape ? ShapeWith(detail, row[i]) : row[i]));
    }
    column.least = IsFlexible(column.kind) ? std::min(column.natural, LeastWidth(column.kind))
                                           : column.natural;
    column.width = column.natural;
  }
  return columns;
}

void TextTable::LeaveOutLongText(std::vector<Column>& columns) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    Column& column = columns[i];
    if (column.kind != 't' || column.natural <= kWidestText) continue;
    column.is_fitted = false;
    column.width = 0;
    for (const auto& row : rows_) {
      const size_t width = i < row.size() ? DisplayWidth(row[i]) : 0;
      if (width <= kWidestText) column.width = std::max(column.width, width);
    }
  }
}

// Moves columns that find no space, even if all are squeezed, to further lines.
void TextTable::Fold(std::vector<Column>& columns, size_t indent, size_t width) {
  size_t used = indent;
  size_t line = 0;
  bool is_first = true;
  for (Column& column : columns) {
    if (column.natural == 0) continue;
    const size_t needed = column.least + (is_first ? 0 : kGap);
    if (!is_first && used + needed > width) {
      ++line;
      used = indent + kFolded + column.least;
    } else {
      used += needed;
    }
    is_first = false;
    column.line = line;
  }
}

// Gives the flexible columns of each line what the others leave: none gets more than it needs, and
// the wide ones get the same.
void TextTable::Distribute(std::vector<Column>& columns, size_t indent, size_t width) {
  size_t lines = 0;
  for (const Column& column : columns) lines = std::max(lines, column.line + 1);
  for (size_t line = 0; line < lines; ++line) {
    std::vector<Column*> flexible;
    size_t fixed = indent + (line == 0 ? 0 : kFolded);
    bool is_first = true;
    for (Column& column : columns) {
      if (column.natural == 0 || column.line != line) continue;
      if (!is_first) fixed += kGap;
      is_first = false;
      if (IsFlexible(column.kind)) {
        flexible.push_back(&column);
      } else {
        fixed += column.natural;
      }
    }
    std::ranges::sort(flexible, {}, &Column::natural);
    size_t left = width > fixed ? width - fixed : 0;
    // Columns that cannot be squeezed to an equal share get what they need first.
    size_t reserved = 0;
    for (const Column* column : flexible) reserved += column->least;
    for (size_t i = 0; i < flexible.size(); ++i) {
      Column& column = *flexible[i];
      reserved -= column.least;
      const size_t share = left / (flexible.size() - i);
      const size_t most = left > reserved ? left - reserved : column.least;
      column.width = std::min({column.natural, std::max(share, column.least), most});
      column.width = std::max({column.width, std::min(column.least, left), size_t{1}});
      left -= std::min(left, column.width);
    }
  }
}

void TextTable::AddLine(const std::vector<std::string>& row, const std::vector<Column>& columns,
                        size_t line, size_t indent, std::string& out) {
  std::vector<std::vector<std::string>> cells(columns.size());
  size_t height = 1;
  for (size_t i = 0; i < row.size(); ++i) {
    if (columns[i].line != line || columns[i].natural == 0) continue;
    cells[i] = CellLines(row[i], columns[i].kind, columns[i].detail,
                         columns[i].is_fitted ? columns[i].width : std::string::npos);
    height = std::max(height, cells[i].size());
  }
  for (size_t y = 0; y < height; ++y) {
    std::string text(indent + (line == 0 ? 0 : kFolded), ' ');
    bool is_first = true;
    for (size_t i = 0; i < columns.size(); ++i) {
      const Column& column = columns[i];
      if (column.line != line || column.natural == 0) continue;
      const std::string cell = y < cells[i].size() ? cells[i][y] : "";
      const size_t taken = std::min(DisplayWidth(cell), column.width);
      const std::string gap(column.width - taken, ' ');
      if (!is_first) text.append(kGap, ' ');
      is_first = false;
      text += column.kind == 'r' ? gap + cell : cell + gap;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    // A folded line without any cell says nothing.
    if (line == 0 || !text.empty()) out += text + "\n";
  }
}

std::string TextTable::Text(size_t indent, size_t width) const {
  std::vector<Column> columns;
  bool fits = false;
  for (const ShapeDetail detail :
       {ShapeDetail::kFull, ShapeDetail::kNoTiling, ShapeDetail::kNoLayout}) {
    columns = Measure(detail);
    size_t whole = indent;
    for (const Column& column : columns) {
      if (column.natural != 0) whole += column.natural + (whole == indent ? 0 : kGap);
    }
    fits = width == 0 || whole <= width;
    if (fits) break;
  }
  if (width == 0) LeaveOutLongText(columns);
  if (!fits) {
    Fold(columns, indent, width);
    Distribute(columns, indent, width);
  }
  size_t lines = 1;
  for (const Column& column : columns) lines = std::max(lines, column.line + 1);
  std::string out;
  for (const auto& row : rows_) {
    for (size_t line = 0; line < lines; ++line) AddLine(row, columns, line, indent, out);
  }
  return out;
}

std::string Shortened(std::string_view text, size_t width) {
  return FitName(Printable(text), width, kPlainEllipsis);
}

}  // namespace halo::tool

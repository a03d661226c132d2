// Rows of cells in columns that line up. Numbers go right, words left.
#ifndef TOOLS_HALO_TERMINAL_TEXT_TABLE_H_
#define TOOLS_HALO_TERMINAL_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace halo::tool {

class TextTable {
 public:
  // One letter per column: r for right, l for left.
  explicit TextTable(std::string alignment) : alignment_(std::move(alignment)) {}

  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // Each row on a line of its own, after `indent` blanks.
  [[nodiscard]] std::string Text(size_t indent) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// At most `width` characters: the middle of a longer text gives way to "...".
std::string Shortened(std::string_view text, size_t width);

// A stranger's name for a terminal: control characters and those that turn the direction of writing
// stand as \xNN.
std::string Printable(std::string_view name);

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_TEXT_TABLE_H_

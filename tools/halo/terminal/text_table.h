// Rows of cells in aligned columns. Numbers are right-aligned, words left-aligned.
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
  // Each row on a separate line, indented by `indent` spaces.
  [[nodiscard]] std::string Text(size_t indent) const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

// At most `width` characters: the middle of a longer text is replaced by "...".
std::string Shortened(std::string_view text, size_t width);

// Makes an untrusted name safe for a terminal: control characters and those that change the writing
// direction are escaped as \xNN.
std::string Printable(std::string_view name);

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_TEXT_TABLE_H_

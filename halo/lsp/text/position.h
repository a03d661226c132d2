// Positions as editors count them: lines and columns from 0, columns in UTF-16 code units or, if
// the editor agrees, in bytes.
#ifndef HALO_LSP_TEXT_POSITION_H_
#define HALO_LSP_TEXT_POSITION_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace halo::lsp {

enum class Encoding : uint8_t { kUtf8, kUtf16 };

struct Position {
  uint32_t line = 0, column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Range {
  Position begin, end;
  friend auto operator<=>(const Range&, const Range&) = default;
};

// The number of columns that a text without newlines takes.
uint32_t ColumnsOf(std::string_view text, Encoding encoding);

// The byte of `line` at a column, at most the end of the line, and never within a character.
size_t ByteAt(std::string_view line, uint32_t column, Encoding encoding);

// Positions of bytes in a text, in any order; cheap if each is shortly after the one before.
class PositionCounter {
 public:
  // The text begins at `line`; of a large piece, its marks make it quick to begin anywhere.
  PositionCounter(std::string_view text, uint32_t line, Encoding encoding,
                  std::span<const uint32_t> marks = {})
      : text_(text), marks_(marks), first_line_(line), line_(line), encoding_(encoding) {}

  Position At(size_t byte);
  Range Of(size_t begin, size_t end) {
    const Position first = At(begin);
    return {first, At(end)};
  }

 private:
  std::string_view text_;
  std::span<const uint32_t> marks_;
  uint32_t first_line_;
  uint32_t line_;
  size_t line_begin_ = 0;
  Encoding encoding_;
};

}  // namespace halo::lsp

#endif  // HALO_LSP_TEXT_POSITION_H_

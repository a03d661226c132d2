// Lines end with a newline. A carriage return before it is part of the line, which editors agree
// with, because nothing is ever found there.
#include "halo/lsp/text/position.h"

#include <algorithm>
#include <cstring>

#include "halo/lsp/text/piece.h"

namespace halo::lsp {
namespace {

constexpr size_t kNear = 4096;  // bytes that are searched as fast as marks

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }
// Of the character that begins with this byte.
uint32_t UnitsOf(char c) { return static_cast<unsigned char>(c) >= 0xF0 ? 2 : 1; }

}  // namespace

uint32_t ColumnsOf(std::string_view text, Encoding encoding) {
  if (encoding == Encoding::kUtf8) return static_cast<uint32_t>(text.size());
  uint32_t columns = 0;
  for (const char c : text) columns += IsContinuation(c) ? 0 : UnitsOf(c);
  return columns;
}

size_t ByteAt(std::string_view line, uint32_t column, Encoding encoding) {
  size_t byte = 0;
  if (encoding == Encoding::kUtf8) {
    byte = std::min<size_t>(column, line.size());
  } else {
    for (uint32_t reached = 0; byte < line.size() && reached < column; ++byte) {
      reached += UnitsOf(line[byte]);
      while (byte + 1 < line.size() && IsContinuation(line[byte + 1])) ++byte;
    }
  }
  while (byte > 0 && byte < line.size() && IsContinuation(line[byte])) --byte;
  return byte;
}

Position PositionCounter::At(size_t byte) {
  byte = std::min(byte, text_.size());
  if (byte < line_begin_) {
    line_ = first_line_;
    line_begin_ = 0;
  }
  if (!marks_.empty() && byte - line_begin_ > kNear) {
    const auto after = std::upper_bound(marks_.begin(), marks_.end(), byte);
    if (after != marks_.begin() && *(after - 1) > line_begin_) {
      line_begin_ = *(after - 1);
      line_ = first_line_ + static_cast<uint32_t>(after - marks_.begin()) * kLinesPerMark;
    }
  }
  while (line_begin_ < byte) {
    const void* newline = std::memchr(text_.data() + line_begin_, '\n', byte - line_begin_);
    if (newline == nullptr) break;
    line_begin_ = static_cast<size_t>(static_cast<const char*>(newline) - text_.data()) + 1;
    ++line_;
  }
  return {line_, ColumnsOf(text_.substr(line_begin_, byte - line_begin_), encoding_)};
}

}  // namespace halo::lsp

// An open text that is edited: its pieces, and where each begins. An edit replaces the pieces it
// touches and leaves the others as they are.
#ifndef HALO_LSP_TEXT_PIECE_TEXT_H_
#define HALO_LSP_TEXT_PIECE_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/lsp/text/piece.h"
#include "halo/lsp/text/position.h"

namespace halo::lsp {

// The pieces from `first` on were replaced by `added` new ones.
struct PieceChange {
  size_t first = 0;
  std::vector<Piece> removed;
  size_t added = 0;
  // If one piece was replaced by one: its bytes from `begin` to `old_end` by those from `begin` to
  // `new_end`.
  size_t begin = 0, old_end = 0, new_end = 0;
};

// A byte of the text, by piece.
struct PiecePoint {
  size_t piece = 0;
  size_t byte = 0;  // within the piece; its size at the end of the text
};

class PieceText {
 public:
  explicit PieceText(std::string text);

  [[nodiscard]] size_t bytes() const { return bytes_; }
  [[nodiscard]] size_t size() const { return pieces_.size(); }
  [[nodiscard]] const Piece& operator[](size_t i) const { return pieces_[i]; }
  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  // The line on which a piece begins, from 0.
  [[nodiscard]] uint32_t line(size_t piece) const { return lines_[piece]; }
  [[nodiscard]] size_t offset(size_t piece) const { return offsets_[piece]; }

  // Positions beyond the end of a line or of the text are moved there. An empty text has no piece:
  // then the point is 0, 0.
  [[nodiscard]] PiecePoint PointAt(Position position, Encoding encoding) const;
  [[nodiscard]] PieceChange Replace(Range range, Encoding encoding, std::string_view text);

  [[nodiscard]] std::string Joined() const;

 private:
  void Count();

  std::vector<Piece> pieces_;
  std::vector<size_t> offsets_;
  std::vector<uint32_t> lines_;
  size_t bytes_ = 0;
};

// The text of the pieces.
std::string Joined(const std::vector<Piece>& pieces);

}  // namespace halo::lsp

#endif  // HALO_LSP_TEXT_PIECE_TEXT_H_

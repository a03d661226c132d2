// A text as pieces: the header of a module, and each computation, from the line that begins it to
// the line that begins the next. Where pieces begin depends on single lines only, so that the
// pieces of an edited text follow from the lines that changed. What a piece means is decided
// elsewhere.
#ifndef HALO_LSP_TEXT_PIECE_H_
#define HALO_LSP_TEXT_PIECE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo::lsp {

enum class PieceKind : uint8_t {
  kOther,  // what precedes the first header or computation
  kHeader,
  kComputation,
  kEntry,
};

// A large piece notes where some of its lines begin, so that lines are found without a search
// through all of it.
inline constexpr uint32_t kLinesPerMark = 256;
using LineMarks = std::vector<uint32_t>;  // the bytes of lines 256, 512 and so on

struct Piece {
  // Many pieces share the text that was opened; edited ones have a separate one.
  std::shared_ptr<const std::string> owner;
  std::string_view text;
  uint32_t newlines = 0;
  PieceKind kind = PieceKind::kOther;
  std::string_view name;                   // of the computation, or of the module
  std::shared_ptr<const LineMarks> marks;  // null if it is small

  [[nodiscard]] std::span<const uint32_t> line_marks() const {
    return marks == nullptr ? std::span<const uint32_t>() : std::span<const uint32_t>(*marks);
  }
};

// What the line at the front of `text` begins; kOther if it is in the middle of a piece. Sets the
// name.
PieceKind BeginsPiece(std::string_view text, std::string_view& name);

// The pieces of a text, in order. Every byte belongs to one; an empty text has none.
std::vector<Piece> SplitPieces(const std::shared_ptr<const std::string>& text);

}  // namespace halo::lsp

#endif  // HALO_LSP_TEXT_PIECE_H_

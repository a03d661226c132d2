// One piece of a text, read: its words, and its instructions as a module without the other
// computations. Made when something is asked about the piece; a few are kept, and so are large
// ones, whose words follow an edit at once and whose module follows when the caller has read it
// again.
#ifndef HALO_LSP_DOCUMENT_PIECE_MODEL_H_
#define HALO_LSP_DOCUMENT_PIECE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halo/lsp/syntax/syntax.h"
#include "halo/lsp/syntax/update_syntax.h"
#include "halo/lsp/text/piece.h"
#include "halo/text/read/read_text.h"

namespace halo::lsp {

struct PieceModel {
  Piece piece;
  Syntax syntax;
  std::shared_ptr<const ComputationReadResult> read;  // never null
  bool is_read_old = false;                           // `read` is what the piece was before an edit

  [[nodiscard]] std::string_view text() const { return piece.text; }
  [[nodiscard]] std::string_view NameOf(const ComputationSyntax& comp) const;
  [[nodiscard]] std::string_view NameOf(const InstructionSyntax& inst) const;
  // The word at a byte or next to it, a percent sign included.
  [[nodiscard]] const Word* WordAt(size_t byte) const;
  // The computation that an instruction or a byte is in; null if there is none.
  [[nodiscard]] const ComputationSyntax* ComputationOf(const InstructionSyntax& inst) const;
  // Where a name is defined in a computation; null if it is not.
  [[nodiscard]] const InstructionSyntax* Find(const ComputationSyntax& comp,
                                              std::string_view instruction) const;
  // The same in the module; invalid if the reader could not read it.
  [[nodiscard]] InstId FindInst(const InstructionSyntax& inst) const;
};

class PieceModels {
 public:
  // Computations with more bytes are large.
  explicit PieceModels(size_t large_bytes) : large_bytes_(large_bytes) {}

  std::shared_ptr<const PieceModel> Get(const Piece& piece, int64_t stack_frames);
  void Clear();
  // Forgets a piece that is gone, unless it may be asked about again soon.
  void Remove(const Piece& piece);

  // Makes the model of an edited piece from that of the piece before. False if the piece is not
  // large, is not known, or changed too much.
  bool Update(const Piece& before, const Piece& after, const ByteEdit& edit, SyntaxChange& change);
  // Large pieces whose module is an old one.
  [[nodiscard]] std::vector<Piece> Outdated() const;
  // The module of a piece, read meanwhile. Ignored if there is no such piece any more.
  void Take(const Piece& piece, std::shared_ptr<const ComputationReadResult> read);
  [[nodiscard]] bool IsLarge(const Piece& piece) const;

 private:
  using Kept = std::vector<std::shared_ptr<PieceModel>>;

  size_t large_bytes_;
  Kept kept_, large_;  // the latest used last
};

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_PIECE_MODEL_H_

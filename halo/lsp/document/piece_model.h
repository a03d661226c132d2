// One piece of a text, read: its words, and its instructions as a module without the other
// computations. Made when something is asked about the piece; a few are kept.
#ifndef HALO_LSP_DOCUMENT_PIECE_MODEL_H_
#define HALO_LSP_DOCUMENT_PIECE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "halo/lsp/syntax/syntax.h"
#include "halo/lsp/text/piece.h"
#include "halo/text/read/read_text.h"

namespace halo::lsp {

struct PieceModel {
  Piece piece;
  Syntax syntax;
  ComputationReadResult read;

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
  std::shared_ptr<const PieceModel> Get(const Piece& piece, int64_t stack_frames);
  void Clear() { kept_.clear(); }

 private:
  std::vector<std::shared_ptr<const PieceModel>> kept_;  // the latest used last
};

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_PIECE_MODEL_H_

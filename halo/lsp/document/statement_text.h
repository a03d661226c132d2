// Some instructions of a computation as a text that can be read alone: after a definition of each
// name that they use, with the shape that the computation gives it.
#ifndef HALO_LSP_DOCUMENT_STATEMENT_TEXT_H_
#define HALO_LSP_DOCUMENT_STATEMENT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "halo/lsp/document/piece_model.h"

namespace halo::lsp {

struct StatementText {
  std::string text;
  // The instructions as they are in the piece: bytes and lines of `text`.
  size_t begin = 0, end = 0;
  uint32_t first_line = 0;
};

// Nothing if there are too many of them, or if what they use cannot be told from its words.
std::optional<StatementText> TextOfStatements(const PieceModel& model, const SyntaxChange& change);

}  // namespace halo::lsp

#endif  // HALO_LSP_DOCUMENT_STATEMENT_TEXT_H_

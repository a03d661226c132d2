// The words of a text after an edit, found by reading again only the instructions around it. Gives
// up where more may have changed than that: then the caller reads all of the text.
#ifndef HALO_LSP_SYNTAX_UPDATE_SYNTAX_H_
#define HALO_LSP_SYNTAX_UPDATE_SYNTAX_H_

#include <cstddef>
#include <string_view>

#include "halo/lsp/syntax/syntax.h"

namespace halo::lsp {

// The bytes from `begin` to `old_end` were replaced by those from `begin` to `new_end`.
struct ByteEdit {
  size_t begin = 0, old_end = 0, new_end = 0;
};

// Bytes of the text, before and after the edit, whose words were read again: whole lines.
struct SyntaxChange {
  size_t begin = 0, old_end = 0, new_end = 0;
  // Rows of the instructions that begin there, after the edit.
  uint32_t first = 0, count = 0;
  bool has_head = false;  // the first line is that which begins the computation
};

// Changes the syntax of `before` to that of `after`. False if it did not, and left it as it was.
bool UpdateSyntax(std::string_view before, std::string_view after, const ByteEdit& edit,
                  Syntax& syntax, SyntaxChange& change);

}  // namespace halo::lsp

#endif  // HALO_LSP_SYNTAX_UPDATE_SYNTAX_H_

// What a name refers to, and where it is used. Instructions are known within their computation,
// computations in the whole text.
#ifndef HALO_LSP_FEATURES_NAMES_H_
#define HALO_LSP_FEATURES_NAMES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/lsp/features/asked.h"

namespace halo::lsp {

struct Named {
  enum class Kind : uint8_t { kInstruction, kComputation };
  Kind kind = Kind::kInstruction;
  std::string name;
  Span word;                       // the name at the target that was asked about
  std::optional<Span> definition;  // the name where it is defined
  std::optional<Span> whole;       // all of its lines
};

// The instruction or computation that a target names; nothing if it names none.
std::optional<Named> NamedAt(const Asked& asked, const Target& target);

// Every use in the order of the text, without the definition.
std::vector<Span> UsesOf(const Asked& asked, const Target& target, const Named& named);

// Uses of a computation in attributes that call it.
std::vector<Span> CallsOf(const PieceText& text, std::string_view computation);

}  // namespace halo::lsp

#endif  // HALO_LSP_FEATURES_NAMES_H_

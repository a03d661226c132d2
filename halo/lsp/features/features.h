// One function for each request about a text. Each writes the result as JSON; a request that has no
// result writes null or an empty list, as the protocol has it.
#ifndef HALO_LSP_FEATURES_FEATURES_H_
#define HALO_LSP_FEATURES_FEATURES_H_

#include <span>
#include <string>
#include <string_view>

#include "halo/lsp/features/asked.h"

namespace halo::lsp {

// Why a request is refused; empty if it is not.
using Refusal = std::string;

// navigate.cc
Refusal Definition(const Asked& asked, JsonWriter& json);
Refusal References(const Asked& asked, JsonWriter& json);
Refusal Highlights(const Asked& asked, JsonWriter& json);
Refusal PrepareRename(const Asked& asked, JsonWriter& json);
Refusal Rename(const Asked& asked, JsonWriter& json);

// call_hierarchy.cc
Refusal PrepareCalls(const Asked& asked, JsonWriter& json);
Refusal IncomingCalls(const Asked& asked, JsonWriter& json);
Refusal OutgoingCalls(const Asked& asked, JsonWriter& json);

// outline.cc
Refusal DocumentSymbols(const Asked& asked, JsonWriter& json);
Refusal FoldingRanges(const Asked& asked, JsonWriter& json);

// hover.cc
Refusal Hover(const Asked& asked, JsonWriter& json);

// complete.cc
Refusal Completion(const Asked& asked, JsonWriter& json);

// semantic_tokens.cc
std::span<const std::string_view> TokenTypes();
std::span<const std::string_view> TokenModifiers();
Refusal TokensOfText(const Asked& asked, JsonWriter& json);
Refusal TokensOfRange(const Asked& asked, JsonWriter& json);

// hints.cc
Refusal InlayHints(const Asked& asked, JsonWriter& json);
Refusal CodeLenses(const Asked& asked, JsonWriter& json);

// actions.cc
Refusal CodeActions(const Asked& asked, JsonWriter& json);
Refusal ResolveAction(const Asked& asked, JsonWriter& json);
Refusal Formatting(const Asked& asked, JsonWriter& json);

// diagnostics.cc
void WriteDiagnostics(const OpenText& text, Encoding encoding, JsonWriter& json);

}  // namespace halo::lsp

#endif  // HALO_LSP_FEATURES_FEATURES_H_

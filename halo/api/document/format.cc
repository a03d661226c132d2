// Maps a style's name to a module that prints in that style.
#include "halo/api/document/format.h"

#include <array>

#include "halo/memory/text/write_assignment.h"
#include "halo/text/canonical/canonical.h"
#include "halo/text/generation.h"
#include "halo/text/write/write_text.h"

namespace halo {
namespace {

constexpr std::array<std::string_view, 10> kStyleTexts = {
    "as-read", "canonical", "long", "short", "g1", "g2", "g3", "g4", "g5", "g6"};

Generation GenerationOf(StyleChoice style) {
  const int steps = static_cast<int>(style) - static_cast<int>(StyleChoice::kG1);
  return static_cast<Generation>(static_cast<int>(Generation::kG1) + steps);
}

void SetStyle(bool is_long, Style& style) {
  style.percent = is_long;
  style.operand_shapes = false;
  style.program_shapes = is_long;
  style.operand_comments = is_long;
  style.closing_names = false;
}

}  // namespace

std::optional<StyleChoice> StyleChoiceFromText(std::string_view text) {
  for (size_t i = 0; i < kStyleTexts.size(); ++i) {
    if (kStyleTexts[i] == text) return static_cast<StyleChoice>(i);
  }
  return std::nullopt;
}

std::span<const std::string_view> StyleChoiceTexts() { return kStyleTexts; }

void ApplyStyle(const FormatOptions& options, Module& module) {
  switch (options.style) {
    case StyleChoice::kAsRead: break;
    case StyleChoice::kCanonical: Canonicalize(module); break;
    case StyleChoice::kLong: SetStyle(true, module.style); break;
    case StyleChoice::kShort: SetStyle(false, module.style); break;
    default: RestyleAs(GenerationOf(options.style), module); break;
  }
  if (!options.metadata) module.style.metadata = false;
  if (!options.backend_config) module.style.backend_config = false;
  if (!options.large_constants) module.style.large_constants = false;
}

void FormatDocument(const FormatOptions& options, Document& document, TextBuffer& out) {
  const bool framed = document.modules.size() > 1;
  for (DocumentModule& each : document.modules) {
    ApplyStyle(options, each.module);
    if (framed) out << "*** Begin " << each.section << " ***\n";
    WriteHloText(each.module, each.module.style, out);
    if (framed) out << "*** End " << each.section << " ***\n";
  }
  if (!document.memory) return;
  const DocumentMemory& memory = *document.memory;
  if (memory.report) {
    WriteMemoryReport(*memory.report, out);
  } else {
    WriteAssignment(memory.assignment, memory.assignment.style, memory.pieces, out);
  }
}

}  // namespace halo

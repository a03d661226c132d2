// What would help: each change with its saving, the call that makes it, and the option of
// `halo memory` that plans it again.
#include <algorithm>

#include "halo/base/strings/human_size.h"
#include "tools/halo/render/memory_text.h"
#include "tools/halo/terminal/fit_text.h"
#include "tools/halo/terminal/phrase.h"
#include "tools/halo/terminal/text_table.h"

namespace halo::tool {

std::string MemoryAdviceText(const MemoryResult& result, const MemoryTextOptions& options) {
  if (result.advice.empty()) return {};
  std::string out = Painted("what would help", Paint::kBold, options.color) +
                    (result.advice_was_short ? " (--advice tries more)" : "") + "\n";
  constexpr size_t kColumn = 14;
  const size_t rows = std::min(result.advice.size(), options.top);
  for (size_t i = 0; i < rows; ++i) {
    const Advice& each = result.advice[i];
    std::string text = each.what;
    if (!each.cost.empty()) text += "; " + each.cost;
    out += WrapText(Phrase("  {:>10}  {}", HumanBytes(each.bytes_saved), text), options.width,
                    kColumn) +
           "\n";
    const std::string indent(kColumn, ' ');
    if (!each.how.empty()) {
      const std::string how =
          Phrase("{}in {}: {}", indent, FrontendName(result.frontend), each.how);
      out += WrapText(how, options.width, kColumn + 2) + "\n";
    }
    out += WrapText(Phrase("{}to verify: {}", indent, OptionsOf(each.change)), options.width,
                    kColumn + 2) +
           "\n";
  }
  if (result.advice.size() > rows) {
    out += Phrase("    ... {} more\n", result.advice.size() - rows);
  }
  return out;
}

}  // namespace halo::tool

// Printing modules in a style of the user's choice, as `halo fmt` does.
#ifndef HALO_API_DOCUMENT_FORMAT_H_
#define HALO_API_DOCUMENT_FORMAT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "halo/api/document/document.h"
#include "halo/base/strings/text_buffer.h"

namespace halo {

enum class StyleChoice : uint8_t {
  kAsRead,     // as the text stood; byte for byte for text that XLA printed
  kCanonical,  // as XLA would print the module after reading it
  kLong,       // names with %, signatures, operand comments
  kShort,      // none of these
  kG1,
  kG2,
  kG3,
  kG4,
  kG5,
  kG6,
};

std::optional<StyleChoice> StyleChoiceFromText(std::string_view text);
// "as-read", "canonical", ... in the order of the enum.
std::span<const std::string_view> StyleChoiceTexts();

struct FormatOptions {
  StyleChoice style = StyleChoice::kAsRead;
  bool metadata = true;
  bool backend_config = true;
  bool large_constants = true;
};

// Changes the module to what the style can say, and sets Module::style.
void ApplyStyle(const FormatOptions& options, Module& module);

// Every module of the document, one after the other; in frames if there are several. What it says
// about memory is printed as it was read.
void FormatDocument(const FormatOptions& options, Document& document, TextBuffer& out);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_FORMAT_H_

// Prints modules in a style chosen by the user, as `halo fmt` does.
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
  kAsRead,     // as in the input; byte for byte for text that XLA printed
  kCanonical,  // as XLA would print the module after reading it
  kLong,       // names with %, signatures, operand comments
  kShort,      // without any of these
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

// Reduces the module to what the style can express, and sets Module::style.
void ApplyStyle(const FormatOptions& options, Module& module);

// Prints every module of the document in sequence, in frames if there are several. Memory
// information is printed as it was read.
void FormatDocument(const FormatOptions& options, Document& document, TextBuffer& out);

}  // namespace halo

#endif  // HALO_API_DOCUMENT_FORMAT_H_

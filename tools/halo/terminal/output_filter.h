// The last line between data and a terminal: whatever a renderer has forgotten to escape does not
// act on it. Only newlines and our own styles pass as they are.
#ifndef TOOLS_HALO_TERMINAL_OUTPUT_FILTER_H_
#define TOOLS_HALO_TERMINAL_OUTPUT_FILTER_H_

#include <string>
#include <string_view>

namespace halo::tool {

// Everything but newlines and, with `styled`, the styles of text_style.h is made printable.
std::string Filtered(std::string_view text, bool styled);

// The same for text that comes in pieces, which may end inside a character or a style.
class OutputFilter {
 public:
  std::string Pass(std::string_view piece, bool styled);
  // What remains when no more pieces come.
  std::string Rest();

 private:
  std::string begun_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_TERMINAL_OUTPUT_FILTER_H_

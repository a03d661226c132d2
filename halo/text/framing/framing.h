// Finds the modules in a text that holds more than one module: captures of standard output with
// "*** Begin NAME ***" frames, logs whose lines carry prefixes, several modules in a row, a module
// after other output. Each becomes a text of its own in which everything that is not the module is
// blank, so that columns stay true; lines and bytes before it are counted. Reading it is the
// reader's business, and so are texts without a HloModule line.
#ifndef HALO_TEXT_FRAMING_FRAMING_H_
#define HALO_TEXT_FRAMING_FRAMING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/io/source_buffer.h"

namespace halo {

struct TextSection {
  std::string name;  // the frame's, or the module's
  SourceBuffer text;
  uint64_t bytes_before = 0;
  uint32_t lines_before = 0;
};

struct FramedText {
  std::vector<TextSection> sections;  // none: the text is one module, or holds none
  bool framed = false;                // frames were found
  size_t prefixed_lines = 0;          // lines whose log prefix was blanked out
  size_t foreign_lines = 0;           // lines of other output in the midst of a module
};

// True if the text begins with a module, comments and blanks aside: nothing to cut.
bool BeginsWithModule(std::string_view text);

// True if a module or a frame begins anywhere in it.
bool HoldsModuleOrFrame(std::string_view text);

// A "*** Begin NAME ***" frame: what stands between its lines, log prefixes and all.
struct TextFrame {
  std::string_view name;
  uint64_t begin = 0;
  uint64_t end = 0;
};
std::vector<TextFrame> ListFrames(std::string_view text);

FramedText SplitText(const SourceBuffer& source);

}  // namespace halo

#endif  // HALO_TEXT_FRAMING_FRAMING_H_

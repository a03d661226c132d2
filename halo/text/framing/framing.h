// Finds the modules in a text that is more than a single module: captures of standard output with
// "*** Begin NAME ***" frames, logs whose lines carry prefixes, several modules in a row, a module
// after other output. Each becomes a separate text in which everything outside the module is blank,
// so that columns stay valid; the lines and bytes before it are counted. The reader parses these
// texts, and also handles texts without a HloModule line.
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
  std::string name;  // name of the frame or of the module
  SourceBuffer text;
  uint64_t bytes_before = 0;
  uint32_t lines_before = 0;
};

struct FramedText {
  std::vector<TextSection> sections;  // empty: the text is one module, or contains none
  bool framed = false;                // frames were found
  size_t prefixed_lines = 0;          // lines whose log prefix was blanked out
  size_t foreign_lines = 0;           // lines of other output within a module
};

// True if the text begins with a module, ignoring comments and blanks: nothing to split.
bool BeginsWithModule(std::string_view text);

// True if a module or a frame begins anywhere in the text.
bool HoldsModuleOrFrame(std::string_view text);

// A "*** Begin NAME ***" frame: the text between its markers, including log prefixes.
struct TextFrame {
  std::string_view name;
  uint64_t begin = 0;
  uint64_t end = 0;
};
std::vector<TextFrame> ListFrames(std::string_view text);

FramedText SplitText(const SourceBuffer& source);

}  // namespace halo

#endif  // HALO_TEXT_FRAMING_FRAMING_H_

// Reads HLO text into a Module, for every generation since 2020. All mistakes are collected, and
// unknown constructs are kept. framing.h handles framing around the text (stdout dumps, log
// prefixes).
#ifndef HALO_TEXT_READ_READ_TEXT_H_
#define HALO_TEXT_READ_READ_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/diagnostic.h"
#include "halo/base/io/source_buffer.h"
#include "halo/ir/module.h"

namespace halo {

struct TextReadOptions {
  int threads = 1;  // more than one pays off only for texts over a megabyte
};

struct TextReadResult {
  Module module;
  Diagnostics diagnostics;
};

TextReadResult ReadHloText(const SourceBuffer& source, const TextReadOptions& options = {});
// Copies `text`; for tests and small pieces.
TextReadResult ReadHloText(std::string_view text, const TextReadOptions& options = {});

// One computation of a text, read without the others.
struct ComputationReadResult {
  Module module;
  Diagnostics diagnostics;
  // The text is exactly one computation, and reading it within the whole text would report the same
  // but for `mentions`.
  bool is_separate = false;
  // The first mention of each computation that is called, whether it exists or not.
  struct Mention {
    std::string name;
    uint64_t offset = 0;
  };
  std::vector<Mention> mentions;
};

// `stack_frames` is how many rows the module's StackFrames table has.
ComputationReadResult ReadHloComputation(std::string_view text, int64_t stack_frames);

}  // namespace halo

#endif  // HALO_TEXT_READ_READ_TEXT_H_

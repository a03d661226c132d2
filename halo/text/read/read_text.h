// Reads HLO text into a Module, for every generation since 2020. All mistakes are collected, and
// unknown constructs are kept. framing.h handles framing around the text (stdout dumps, log
// prefixes).
#ifndef HALO_TEXT_READ_READ_TEXT_H_
#define HALO_TEXT_READ_READ_TEXT_H_

#include <string_view>

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

}  // namespace halo

#endif  // HALO_TEXT_READ_READ_TEXT_H_

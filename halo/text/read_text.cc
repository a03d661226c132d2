// Reading one text: on one thread, or cut into stretches that several threads read and merge.h
// joins.
#include "halo/text/read_text.h"

#include <algorithm>

#include "halo/text/reader.h"

namespace halo {
namespace {

uint8_t CountFinalNewlines(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && count < 8 && text[text.size() - 1 - count] == '\n') ++count;
  return static_cast<uint8_t>(count);
}

// Typical dumps have an instruction in 200 bytes and a new name in 120; a wrong guess only costs
// growing.
void ReserveFor(size_t text_bytes, Module& module) {
  module.insts.reserve(text_bytes / 200);
  module.operands.reserve(text_bytes / 160);
  module.strings.Reserve(text_bytes / 160, text_bytes / 16);
}

void ReadOnOneThread(std::string_view text, TextReadResult& result) {
  ReserveFor(text.size(), result.module);
  Reader reader(text, result.module, result.diagnostics);
  reader.ReadHeader();
  const Reader::Place place = reader.ReadBody(text.data() + text.size(), Reader::Place::kOutside);
  reader.CloseAtEnd(place);
  reader.Finish();
}

}  // namespace

TextReadResult ReadHloText(const SourceBuffer& source, const TextReadOptions& options) {
  (void)options;
  TextReadResult result;
  const std::string_view text = source.bytes();
  ReadOnOneThread(text, result);
  result.module.style.final_newlines = CountFinalNewlines(text);
  result.module.Shrink();
  return result;
}

TextReadResult ReadHloText(std::string_view text, const TextReadOptions& options) {
  return ReadHloText(SourceBuffer::Copy(text, "<text>"), options);
}

}  // namespace halo

// Merges chunks of one text that were read separately. Ids of the later chunk are translated into
// the tables of the earlier ones, and a computation split between chunks becomes one again.
#ifndef HALO_TEXT_READ_MERGE_H_
#define HALO_TEXT_READ_MERGE_H_

#include <memory>

#include "halo/text/read/reader.h"

namespace halo {

// A chunk of lines read by one Reader. The Reader tracks its position in the text; merging only
// needs to know where reading began and ended.
struct TextChunk {
  std::string_view text;  // the whole text
  const char* begin = nullptr;
  const char* end = nullptr;
  Reader::State starts = Reader::State::kOutside;
  Reader::State ends = Reader::State::kOutside;
  const char* first = nullptr;     // where reading actually began, after blanks
  std::unique_ptr<Module> module;  // supplied by the thread that reads it
  Diagnostics diagnostics;
  std::unique_ptr<Reader> reader;

  // Reads the chunk. The first chunk of a text also reads the header.
  void Read(bool is_first);
};

// Appends chunks, one after the other, to the first. The translation tables are kept between calls,
// since allocating fresh memory costs more than the translation.
class ChunkMerger {
 public:
  explicit ChunkMerger(TextChunk& head);
  ~ChunkMerger();

  // `next` begins where the previous chunk ended. False if it cannot be appended (a mistake, or a
  // line that only looked like a valid split point): the text must then be read sequentially.
  bool Merge(const TextChunk& next);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halo

#endif  // HALO_TEXT_READ_MERGE_H_

// Joins stretches of one text that were read apart: ids of the later stretch are translated into
// the tables of what came before, and a computation cut in two becomes one again.
#ifndef HALO_TEXT_READ_MERGE_H_
#define HALO_TEXT_READ_MERGE_H_

#include <memory>

#include "halo/text/read/reader.h"

namespace halo {

// A run of lines read by one Reader. Its place in the text is the Reader's business; here it only
// matters where reading began and ended.
struct Stretch {
  std::string_view text;  // the whole text
  const char* begin = nullptr;
  const char* end = nullptr;
  Reader::Place starts = Reader::Place::kOutside;
  Reader::Place ends = Reader::Place::kOutside;
  const char* first = nullptr;     // where reading really began, blanks skipped
  std::unique_ptr<Module> module;  // given by whoever reads it
  Diagnostics diagnostics;
  std::unique_ptr<Reader> reader;

  // Reads it. The first stretch of a text also reads the header.
  void Read(bool is_first);
};

// Appends stretches one after the other to the first. It keeps its translation tables between
// calls, since fresh memory costs more than the translation.
class Joiner {
 public:
  explicit Joiner(Stretch& head);
  ~Joiner();

  // `next` begins where the last one ended. False if it cannot be joined (a mistake, or a line that
  // only looked like a place to cut): the text must then be read in one piece.
  bool Join(const Stretch& next);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace halo

#endif  // HALO_TEXT_READ_MERGE_H_

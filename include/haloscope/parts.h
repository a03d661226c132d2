// What every result has: the files it was made from, and what is wrong with them.
#ifndef HALOSCOPE_PARTS_H_
#define HALOSCOPE_PARTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "haloscope/diagnostics.h"
#include "haloscope/export.h"
#include "haloscope/fields.h"

namespace halo {
HALO_V0_BEGIN

struct InputFile {
  std::string path;
  std::string kind, compression;  // empty if the file was not opened as a document
  std::optional<uint64_t> stored_bytes, bytes;
  std::optional<bool> found;
};

template <class V>
void Fields(V& v, InputFile& r) {
  v("path", r.path, "as it was given; `<stdin>` for standard input");
  v("kind", r.kind, "what the file is by its contents", FieldFlag::kIfAny, Choices{"file_kind"});
  v("compression", r.compression, "how it is stored", FieldFlag::kIfAny, Choices{"compression"});
  v("stored_bytes", r.stored_bytes, "as stored", Unit::kBytes);
  v("bytes", r.bytes, "once decompressed", Unit::kBytes);
  v("found", r.found, "it was not given but is next to a file that was");
}

struct ResultParts {
  std::vector<InputFile> inputs;
  std::vector<Diagnostic> diagnostics;  // in the order of the inputs' text
};

template <class V>
void Fields(V& v, ResultParts& r) {
  v("inputs", r.inputs, "the files that were read");
  v("diagnostics", r.diagnostics, "what is wrong with the inputs, in the order of their text");
}

HALO_V0_END
}  // namespace halo

#endif  // HALOSCOPE_PARTS_H_

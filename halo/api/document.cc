// From bytes to modules.
#include "halo/api/document.h"

#include "halo/text/read_text.h"

namespace halo {

Document OpenDocument(const std::string& path, const OpenOptions& options) {
  Document document;
  document.path = path;
  Result<SourceBuffer> source = SourceBuffer::Open(path);
  if (!source) {
    document.diagnostics.Add(source.error());
    return document;
  }
  TextReadResult read = ReadHloText(*source, {.threads = options.threads});
  document.modules.push_back({std::move(read.module), std::move(read.diagnostics)});
  return document;
}

}  // namespace halo

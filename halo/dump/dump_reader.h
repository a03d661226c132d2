// Opens the files of a dump one after another. An archive or capture stays open while its files are
// read, so that reading all of them takes linear time. Not thread-safe: each thread needs its own.
#ifndef HALO_DUMP_DUMP_READER_H_
#define HALO_DUMP_DUMP_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "halo/base/diagnostics/result.h"
#include "halo/base/io/source_buffer.h"
#include "halo/dump/dump.h"
#include "halo/dump/open_file.h"

namespace halo {

class DumpReader {
 public:
  // The dump must outlive this.
  explicit DumpReader(const Dump& dump) : dump_(dump) {}

  [[nodiscard]] const Dump& dump() const { return dump_; }
  // `file` is an index in Dump::files.
  Result<SourceBuffer> Open(int32_t file);

 private:
  // The path of the archive or capture that contains a file, relative to the root; empty if the
  // root is the container.
  [[nodiscard]] std::string_view ContainerOf(std::string_view path);
  std::optional<Diagnostic> OpenContainer(std::string_view container);

  const Dump& dump_;
  std::unordered_set<std::string_view> containers_;      // filled on first use
  std::optional<SourceBuffer> source_;                   // of the open container
  std::string open_;                                     // its path
  std::unordered_map<std::string, PackedFile> members_;  // its files
};

}  // namespace halo

#endif  // HALO_DUMP_DUMP_READER_H_

// Archives that were opened last, decompressed and listed, so that opening their files one by one
// takes linear time. An archive is opened again if its file has changed. Thread-safe.
#ifndef HALO_DUMP_OPENED_ARCHIVES_H_
#define HALO_DUMP_OPENED_ARCHIVES_H_

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "halo/base/diagnostics/result.h"
#include "halo/base/io/source_buffer.h"
#include "halo/dump/open_file.h"

namespace halo {

struct OpenedArchive {
  explicit OpenedArchive(SourceBuffer opened);
  // The file with this name; null if there is none.
  [[nodiscard]] const PackedFile* Find(std::string_view name) const;

  SourceBuffer source;
  std::unordered_map<std::string, PackedFile> files;  // the last of several with one name
};

// Opens an archive or a capture, or returns the one that is open already. With `folder`, it must be
// below that folder.
Result<std::shared_ptr<const OpenedArchive>> OpenArchive(const std::string& path,
                                                         const std::string& folder = {});

}  // namespace halo

#endif  // HALO_DUMP_OPENED_ARCHIVES_H_

// What `halo info` reports about one file: its kind, and each module in it.
#ifndef HALO_API_INFO_FILE_INFO_H_
#define HALO_API_INFO_FILE_INFO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/info/module_info.h"

namespace halo {

struct FileInfo {
  std::string path;
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;
  std::vector<v0::InfoModule> modules;
  std::optional<v0::InfoAssignment> assignment;
  std::vector<OtherSection> others;
  std::vector<Diagnostic> diagnostics;
  size_t errors = 0;
  size_t warnings = 0;
};

FileInfo DescribeFile(const Document& document, const InfoOptions& options = {});

}  // namespace halo

#endif  // HALO_API_INFO_FILE_INFO_H_

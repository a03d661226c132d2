// What the readers alone can say about a file, as `halo check` reports it.
#ifndef HALO_API_CHECK_H_
#define HALO_API_CHECK_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "halo/api/document.h"

namespace halo {

struct CheckedFile {
  std::string path;
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;
  size_t modules = 0;
  size_t errors = 0;
  size_t warnings = 0;
  bool unreadable = false;  // it could not be opened, or holds nothing that halo reads
  std::vector<Diagnostic> diagnostics;
};

CheckedFile CheckFile(const std::string& path, const OpenOptions& options = {});

// Schema halo.check.v1.
std::string CheckJson(std::span<const CheckedFile> files);

}  // namespace halo

#endif  // HALO_API_CHECK_H_

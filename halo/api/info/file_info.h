// What `halo info` reports about one file: its kind, and each module in it.
#ifndef HALO_API_INFO_FILE_INFO_H_
#define HALO_API_INFO_FILE_INFO_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/api/document/document.h"
#include "halo/api/info/module_info.h"

namespace halo {

// The figures of an assignment or of a part of one; figures that the file does not contain are
// unset.
struct AssignmentInfo {
  std::optional<int64_t> allocations, values, schedule_steps, live_ranges, peak_time;
  std::optional<int64_t> total_bytes;   // in all memory spaces, as XLA counts
  std::optional<int64_t> device_bytes;  // of these, in the device's main memory
};

struct FileInfo {
  std::string path;
  FileKind kind = FileKind::kEmpty;
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;
  std::vector<ModuleInfo> modules;
  std::optional<AssignmentInfo> assignment;
  std::vector<OtherSection> others;
  std::vector<Diagnostic> diagnostics;
  size_t errors = 0;
  size_t warnings = 0;
};

FileInfo DescribeFile(const Document& document, const InfoOptions& options = {});

// Schema halo.info.v1.
std::string InfoJson(std::span<const FileInfo> files);

}  // namespace halo

#endif  // HALO_API_INFO_FILE_INFO_H_

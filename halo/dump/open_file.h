// Opens a file of a dump by its path. A tar archive or a capture with frames counts as a folder:
// dump.tar/rank0/module_0000.jit_f.before_optimizations.txt.
#ifndef HALO_DUMP_OPEN_FILE_H_
#define HALO_DUMP_OPEN_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"
#include "halo/base/io/source_buffer.h"

namespace halo {

struct PackedFile {
  std::string name;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct Packed {
  std::vector<PackedFile> files;
  size_t skipped = 0;
  std::string problem;      // why the list ends early; empty if it does not
  bool is_capture = false;  // the files are sections of a text
  bool is_profile = false;  // the files are programs that were executed
};

// Lists the files in an archive or a capture, or the programs in a profile; empty if `bytes` is
// none of these.
Packed ListPacked(std::string_view bytes);

// Opens one of them, decompressed.
Result<SourceBuffer> OpenPacked(std::string_view container, const PackedFile& file,
                                std::string name);

// Like SourceBuffer::Open, but also opens files inside a tar archive, a capture or a profile. With
// `folder`, no link may lead out of that folder.
Result<SourceBuffer> OpenDumpFile(const std::string& path, const std::string& folder = {});

// Whether OpenDumpFile would find a file.
bool DumpFileExists(const std::string& path);

}  // namespace halo

#endif  // HALO_DUMP_OPEN_FILE_H_

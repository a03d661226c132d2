// Opening a file of a dump by its path, where a tar archive or a capture with frames counts as a
// folder: dump.tar/rank0/module_0000.jit_f.before_optimizations.txt.
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
  std::string problem;  // why the list ends early; empty if it does not
};

// What an archive or a capture holds; nothing if it is neither.
Packed ListPacked(std::string_view bytes);

// The bytes of one of them, decompressed.
Result<SourceBuffer> OpenPacked(std::string_view container, const PackedFile& file,
                                std::string name);

// As SourceBuffer::Open, and also of what stands in a tar archive or a capture.
Result<SourceBuffer> OpenDumpFile(const std::string& path);

// Whether OpenDumpFile would find something.
bool DumpFileExists(const std::string& path);

}  // namespace halo

#endif  // HALO_DUMP_OPEN_FILE_H_

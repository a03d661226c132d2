// Which files stand below a folder. Trees of strangers may hold loops, links out of the tree and
// things that are no files: none of those is followed or opened unless asked for.
#ifndef HALO_DUMP_WALK_H_
#define HALO_DUMP_WALK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

struct WalkedFile {
  std::string path;  // relative to the folder, with '/'
  uint64_t bytes = 0;
};

// Something that was left out of a list, and why.
struct SkippedPath {
  std::string path;
  std::string why;
};

struct WalkOptions {
  bool follow = false;  // links that lead out of the folder too
  size_t max_files = 1'000'000;
  size_t max_depth = 64;
};

struct WalkResult {
  std::vector<WalkedFile> files;     // sorted by path
  std::vector<SkippedPath> skipped;  // the first few
  size_t skipped_count = 0;
};

bool IsFolder(const std::string& path);

Result<WalkResult> WalkFolder(const std::string& root, const WalkOptions& options = {});

}  // namespace halo

#endif  // HALO_DUMP_WALK_H_

// Lists the files below a folder. Untrusted trees may contain loops, links out of the tree and
// entries that are not files. None of those is followed or opened unless requested.
#ifndef HALO_DUMP_WALK_H_
#define HALO_DUMP_WALK_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/diagnostics/result.h"

namespace halo {

struct WalkedFile {
  std::string path;  // relative to the folder, with '/'
  uint64_t bytes = 0;
};

// A path that was left out of the list, and why.
struct SkippedPath {
  std::string path;
  std::string why;
};

// The reason for a link that WalkOptions::follow would include.
inline constexpr std::string_view kLinkLeadsOut = "a link that points outside the folder";

struct WalkOptions {
  bool follow = false;  // also follow links that lead out of the folder
  size_t max_files = 1'000'000;
  size_t max_depth = 64;
};

struct WalkResult {
  std::vector<WalkedFile> files;     // sorted by path
  std::vector<SkippedPath> skipped;  // the first few only
  size_t skipped_count = 0;
};

bool IsFolder(const std::string& path);

Result<WalkResult> WalkFolder(const std::string& root, const WalkOptions& options = {});

}  // namespace halo

#endif  // HALO_DUMP_WALK_H_

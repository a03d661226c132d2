// Output files that exist under a temporary name before they are written, so that a process without
// the right to create files can fill them. The process that created them decides which to keep.
#ifndef TOOLS_HALO_SESSION_PENDING_FILES_H_
#define TOOLS_HALO_SESSION_PENDING_FILES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "halo/base/io/unfinished_file.h"
#include "tools/halo/session/output_file.h"
#include "tools/halo/session/session.h"

namespace halo::tool {

class PendingFiles {
 public:
  // `written` has a bit for each file and is shared by the processes.
  explicit PendingFiles(std::atomic<uint32_t>& written);
  PendingFiles(const PendingFiles&) = delete;
  PendingFiles& operator=(const PendingFiles&) = delete;

  // Creates those that will replace a regular file or be new; standard output, devices and pipes
  // are left to the writer. False, after printing the reason, if one cannot be created.
  bool Create(std::span<const std::string> paths, Session& session);
  // Fills the file for this path; nothing if it is not one of these.
  std::optional<bool> Write(const std::string& path, const Producer& produce);
  // Gives the files that were filled their names.
  void Keep(Session& session);

 private:
  struct Pending {
    std::string path;
    UnfinishedFile file;
  };

  std::atomic<uint32_t>& written_;
  int owner_;
  std::vector<Pending> files_;
};

}  // namespace halo::tool

#endif  // TOOLS_HALO_SESSION_PENDING_FILES_H_

// A file has no name until it is complete, where the file system allows that, so that nothing is
// left even if all processes are killed. Descriptors stay open across fork.
#include "tools/halo/session/pending_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace halo::tool {

PendingFiles::PendingFiles(std::atomic<uint32_t>& written) : written_(written), owner_(getpid()) {}

bool PendingFiles::Create(std::span<const std::string> paths, Session& session) {
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      return CannotWrite(path, std::strerror(EISDIR), session);
    }
    if (path.empty() || !IsReplaced(path)) continue;
    UnfinishedFile file(path, NameBeside(path, owner_), {.is_nameless = true});
    if (file.descriptor() < 0) return CannotWrite(path, file.problem(), session);
    files_.push_back({path, std::move(file)});
  }
  return true;
}

std::optional<bool> PendingFiles::Write(const std::string& path, const Producer& produce) {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path != path) continue;
    if (!WriteDescriptor(files_[i].file.descriptor(), produce)) return false;
    written_ |= uint32_t{1} << i;
    return true;
  }
  return std::nullopt;
}

void PendingFiles::Keep(Session& session) {
  for (size_t i = 0; i < files_.size(); ++i) {
    if ((written_ >> i & 1) == 0) continue;
    const std::string why = files_[i].file.Finish();
    if (!why.empty()) CannotWrite(files_[i].path, why, session);
  }
}

}  // namespace halo::tool

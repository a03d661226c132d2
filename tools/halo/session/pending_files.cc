// A file has no name until it is complete, where the file system allows that, so that nothing is
// left even if all processes are killed. Descriptors stay open across fork.
#include "tools/halo/session/pending_files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

namespace halo::tool {
namespace {

// A file that vanishes with its last descriptor; -1 where the file system has none.
int CreateNameless([[maybe_unused]] const std::string& path) {
#if defined(O_TMPFILE)
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
#else
  return -1;
#endif
}

void GiveName(int file, const std::string& path) {
  unlink(path.c_str());  // of an earlier process with the same number
  linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", file).c_str(), AT_FDCWD, path.c_str(),
         AT_SYMLINK_FOLLOW);
}

}  // namespace

PendingFiles::PendingFiles(std::atomic<uint32_t>& written) : written_(written), owner_(getpid()) {}

PendingFiles::~PendingFiles() {
  for (const Pending& each : files_) {
    close(each.file);
    if (owner_ == getpid() && each.has_name) unlink(each.beside.c_str());
  }
}

bool PendingFiles::Create(std::span<const std::string> paths, Session& session) {
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      return CannotWrite(path, std::strerror(EISDIR), session);
    }
    if (path.empty() || !IsReplaced(path)) continue;
    Pending pending{path, HalfWritten(path, owner_)};
    pending.file = CreateNameless(path);
    pending.has_name = pending.file < 0;
    if (pending.has_name) pending.file = CreateHalfWritten(pending.beside);
    if (pending.file < 0) return CannotWrite(path, std::strerror(errno), session);
    files_.push_back(std::move(pending));
  }
  return true;
}

std::optional<bool> PendingFiles::Write(const std::string& path, const Producer& produce) {
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].path != path) continue;
    if (!WriteDescriptor(files_[i].file, produce)) return false;
    written_ |= uint32_t{1} << i;
    return true;
  }
  return std::nullopt;
}

void PendingFiles::Keep(Session& session) {
  for (size_t i = 0; i < files_.size(); ++i) {
    if ((written_ >> i & 1) == 0) continue;
    if (!files_[i].has_name) GiveName(files_[i].file, files_[i].beside);
    files_[i].has_name = true;
    if (ReplaceWith(files_[i].beside, files_[i].path, session)) files_[i].has_name = false;
  }
}

}  // namespace halo::tool

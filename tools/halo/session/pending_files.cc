// Names are those of half-written files; descriptors stay open across fork.
#include "tools/halo/session/pending_files.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace halo::tool {

PendingFiles::PendingFiles(std::atomic<uint32_t>& written) : written_(written), owner_(getpid()) {}

PendingFiles::~PendingFiles() {
  for (const Pending& each : files_) {
    close(each.file);
    if (owner_ == getpid() && !each.beside.empty()) unlink(each.beside.c_str());
  }
}

bool PendingFiles::Create(std::span<const std::string> paths, Session& session) {
  for (const std::string& path : paths) {
    if (path.empty() || !IsReplaced(path)) continue;
    Pending pending{path, HalfWritten(path, owner_)};
    pending.file = CreateHalfWritten(pending.beside);
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
    if (ReplaceWith(files_[i].beside, files_[i].path, session)) files_[i].beside.clear();
  }
}

}  // namespace halo::tool

// Between the last look at a name and its renaming, others can still replace it; so the result is
// looked at once more. WebAssembly has no folders to write to.
#include "halo/base/io/unfinished_file.h"

#if defined(__wasm__)

namespace halo {

UnfinishedFile::UnfinishedFile(const std::string& /*path*/, std::string /*beside*/,
                               const UnfinishedOptions& /*options*/)
    : problem_("this build writes no files") {}
UnfinishedFile::UnfinishedFile(int /*folder*/, std::string /*name*/, std::string /*beside*/,
                               const UnfinishedOptions& /*options*/)
    : problem_("this build writes no files") {}
UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& /*other*/) noexcept = default;
std::string UnfinishedFile::Finish() { return problem_; }
void UnfinishedFile::Close() {}

}  // namespace halo

#else

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace halo {
namespace {

constexpr mode_t kOthersMayNotWrite = 0755;  // nor does a file act for its owner
constexpr const char* kWasReplaced = "another process replaced it while it was written";

#if defined(O_PATH)
constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
#else
constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
#endif

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// Of what a name in a folder is itself, even if that is a link.
bool FactsOf(int folder, const std::string& name, struct stat& facts) {
  return fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
}

int CreateNameless([[maybe_unused]] int folder, [[maybe_unused]] mode_t mode) {
#if defined(O_TMPFILE)
  return openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
#else
  return -1;
#endif
}

bool GiveName(int file, int folder, const std::string& name) {
  unlinkat(folder, name.c_str(), 0);  // of an earlier process with the same number
  const std::string open_file = "/proc/self/fd/" + std::to_string(file);
  return linkat(AT_FDCWD, open_file.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Some file systems report a full disk only when a descriptor is closed.
bool IsStored(int file, bool is_durable) {
  const int copy = dup(file);
  return copy >= 0 && close(copy) == 0 && (!is_durable || fsync(file) == 0);
}

}  // namespace

UnfinishedFile::UnfinishedFile(const std::string& path, std::string beside,
                               const UnfinishedOptions& options)
    : beside_(std::move(beside)) {
  const size_t slash = path.rfind('/');
  std::string folder = ".";
  if (slash != std::string::npos) folder = path.substr(0, slash == 0 ? 1 : slash);
  name_ = path.substr(slash + 1);
  folder_ = open(folder.c_str(), kFolderFlags);
  Create(options);
}

UnfinishedFile::UnfinishedFile(int folder, std::string name, std::string beside,
                               const UnfinishedOptions& options)
    : name_(std::move(name)), beside_(std::move(beside)) {
  folder_ = fcntl(folder, F_DUPFD_CLOEXEC, 0);
  Create(options);
}

void UnfinishedFile::Create(const UnfinishedOptions& options) {
  mode_t mode = static_cast<mode_t>(options.mode);
  struct stat replaced{};
  if (folder_ >= 0 && FactsOf(folder_, name_, replaced) && S_ISREG(replaced.st_mode)) {
    // What was private is so from the first byte on.
    mode &= replaced.st_mode;
    if (replaced.st_uid == geteuid()) kept_mode_ = replaced.st_mode & kOthersMayNotWrite;
  }
  if (folder_ >= 0 && options.is_nameless) file_ = CreateNameless(folder_, mode);
  if (folder_ >= 0 && file_ < 0) {
    unlinkat(folder_, beside_.c_str(), 0);  // of an earlier process with the same number
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    file_ = openat(folder_, beside_.c_str(), kFlags, mode);
    has_name_ = file_ >= 0;
  }
  if (file_ < 0) problem_ = std::strerror(errno);
  owner_ = getpid();
  is_durable_ = options.is_durable;
}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(beside_, other.beside_);
  std::swap(problem_, other.problem_);
  std::swap(folder_, other.folder_);
  std::swap(file_, other.file_);
  std::swap(owner_, other.owner_);
  std::swap(kept_mode_, other.kept_mode_);
  std::swap(is_durable_, other.is_durable_);
  std::swap(has_name_, other.has_name_);
  return *this;
}

std::string UnfinishedFile::Finish() {
  struct stat own{};
  if (!IsStored(file_, is_durable_) || fstat(file_, &own) != 0) return std::strerror(errno);
  const mode_t wanted = (own.st_mode | kept_mode_) & 07777;
  // Where that is not allowed, fewer may read the file.
  if (wanted != (own.st_mode & 07777)) static_cast<void>(fchmod(file_, wanted));
  if (!has_name_) has_name_ = GiveName(file_, folder_, beside_);
  struct stat found{};
  if (!has_name_ || !FactsOf(folder_, beside_, found)) return std::strerror(errno);
  if (!IsSameFile(found, own)) return kWasReplaced;
  if (renameat(folder_, beside_.c_str(), folder_, name_.c_str()) != 0) return std::strerror(errno);
  has_name_ = false;
  if (FactsOf(folder_, name_, found) && !IsSameFile(found, own)) {
    // It may be the file of another process of this user that finished a moment later.
    if (S_ISREG(found.st_mode) && found.st_nlink == 1 && found.st_uid == own.st_uid) return {};
    unlinkat(folder_, name_.c_str(), 0);
    return kWasReplaced;
  }
  return {};
}

void UnfinishedFile::Close() {
  if (has_name_ && owner_ == getpid()) unlinkat(folder_, beside_.c_str(), 0);
  if (file_ >= 0) close(file_);
  if (folder_ >= 0) close(folder_);
}

}  // namespace halo

#endif

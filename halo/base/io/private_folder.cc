// Everything after the folder itself is opened relative to its descriptor. WebAssembly has no users
// and no such folder.
#include "halo/base/io/private_folder.h"

#if defined(__wasm__)

namespace halo {

PrivateFolder::PrivateFolder(const std::string& path) : problem_(path + " is not available") {}
PrivateFolder::~PrivateFolder() = default;
std::optional<std::string> PrivateFolder::Read(const std::string& /*name*/, bool& refused) const {
  refused = false;
  return std::nullopt;
}
bool PrivateFolder::Write(const std::string& /*name*/, const std::string& /*beside*/,
                          std::string_view /*bytes*/) const {
  return false;
}

}  // namespace halo

#else

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "halo/base/io/unfinished_file.h"
#include "halo/base/io/write_all.h"

namespace halo {
namespace {

constexpr mode_t kOthersMayWrite = S_IWGRP | S_IWOTH;

// Empty if only this user can have written it.
std::string WhyNotPrivate(const struct stat& found) {
  if (found.st_uid != geteuid()) return "belongs to another user";
  if ((found.st_mode & kOthersMayWrite) != 0) return "is writable by other users";
  return {};
}

// A link could have been placed by anyone who may write beside it.
bool IsForeignLink(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 && S_ISLNK(found.st_mode) && found.st_uid != 0 &&
         found.st_uid != geteuid();
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path) {
  std::string trimmed = path;
  while (trimmed.size() > 1 && trimmed.ends_with('/')) trimmed.pop_back();
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(trimmed).parent_path(), ignored);
  mkdir(trimmed.c_str(), S_IRWXU);
  if (IsForeignLink(trimmed)) {
    problem_ = trimmed + " is a link of another user";
    return;
  }
  const int folder = open(trimmed.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat found{};
  if (folder < 0 || fstat(folder, &found) != 0) {
    problem_ = trimmed + ": " + std::strerror(errno);
  } else if (const std::string why = WhyNotPrivate(found); !why.empty()) {
    problem_ = trimmed + " " + why;
  } else {
    folder_ = folder;
    return;
  }
  if (folder >= 0) close(folder);
}

PrivateFolder::~PrivateFolder() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::string> PrivateFolder::Read(const std::string& name, bool& refused) const {
  refused = false;
  if (!is_open()) return std::nullopt;
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const int file = openat(folder_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    refused = errno == ELOOP;
    return std::nullopt;
  }
  struct stat found{};
  refused = fstat(file, &found) != 0 || !S_ISREG(found.st_mode) || !WhyNotPrivate(found).empty();
  std::string bytes;
  if (!refused) {
    bytes.resize(static_cast<size_t>(found.st_size));
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += static_cast<size_t>(count);
    }
    bytes.resize(done);
  }
  close(file);
  if (refused) return std::nullopt;
  return bytes;
}

bool PrivateFolder::Write(const std::string& name, const std::string& beside,
                          std::string_view bytes) const {
  if (!is_open()) return false;
  UnfinishedFile file(folder_, name, beside, {.mode = S_IRUSR | S_IWUSR});
  return file.descriptor() >= 0 && WriteAll(file.descriptor(), bytes) && file.Finish().empty();
}

}  // namespace halo

#endif

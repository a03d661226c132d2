// All links are resolved first. Then each part is opened below the one before without following
// links: one found now has been put there meanwhile. WebAssembly has neither links nor users.
#include "halo/base/io/open_beneath.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>

#if !defined(__wasm__)
#include <memory>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace halo {

#if defined(__wasm__)

int OpenBeneath(const std::string& /*folder*/, const std::string& path) {
  return open(path.c_str(), O_RDONLY);
}

#else

namespace {

// Empty, with errno set, if there is no such file.
std::string Resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> real(realpath(path.c_str(), nullptr), &free);
  return real == nullptr ? std::string() : std::string(real.get());
}

// Opens one part and closes the folder that it is in.
int Descend(int folder, const std::string& name, bool is_last) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const int flags = is_last ? O_RDONLY | O_NONBLOCK : O_RDONLY | O_DIRECTORY;
  const int opened = openat(folder, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
  const int why = errno;
  close(folder);
  errno = why;
  return opened;
}

int OnlyRegular(int file) {
  struct stat found{};
  if (file < 0 || (fstat(file, &found) == 0 && S_ISREG(found.st_mode))) return file;
  close(file);
  errno = EINVAL;
  return -1;
}

}  // namespace

int OpenBeneath(const std::string& folder, const std::string& path) {
  const std::string root = Resolved(folder);
  const std::string real = root.empty() ? std::string() : Resolved(path);
  if (real.empty()) return -1;
  const std::string below = root == "/" ? root : root + "/";
  if (!real.starts_with(below) || real.size() == below.size()) {
    errno = EXDEV;
    return -1;
  }
  int opened = open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  std::string_view rest = std::string_view(real).substr(below.size());
  while (opened >= 0 && !rest.empty()) {
    const size_t slash = rest.find('/');
    const bool is_last = slash == std::string_view::npos;
    opened = Descend(opened, std::string(rest.substr(0, slash)), is_last);
    rest.remove_prefix(is_last ? rest.size() : slash + 1);
  }
  return OnlyRegular(opened);
}

#endif

}  // namespace halo

// Compares owners and modes. Access control lists are left to the system.
#include "halo/plugins/trusted_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <sys/types.h>

namespace halo {
namespace {

// Who can replace a file: by writing it, or by renaming another one over it.
using Pair = std::array<struct stat, 2>;  // the file and its folder

std::optional<Pair> StatBoth(const std::string& path) {
  Pair both;
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (stat(path.c_str(), &both[0]) != 0 || stat(folder.c_str(), &both[1]) != 0) return std::nullopt;
  return both;
}

bool IsWritable(const struct stat& entry, mode_t by) {
  // In a sticky folder, only the owner of a file can replace it.
  const bool is_protected = S_ISDIR(entry.st_mode) && (entry.st_mode & S_ISVTX) != 0;
  return (entry.st_mode & by) != 0 && !is_protected;
}

}  // namespace

bool IsTrustedBy(const std::string& program, const std::string& file) {
  const std::optional<Pair> own = StatBoth(program);
  const std::optional<Pair> other = StatBoth(file);
  if (!own || !other || !S_ISREG((*other)[0].st_mode)) return false;
  return std::all_of(other->begin(), other->end(), [&](const struct stat& entry) {
    const auto own_has = [&](auto holds) { return std::any_of(own->begin(), own->end(), holds); };
    if (entry.st_uid != 0 && entry.st_uid != (*own)[0].st_uid) return false;
    if (IsWritable(entry, S_IWGRP) && !own_has([&](const struct stat& ours) {
          return IsWritable(ours, S_IWGRP) && ours.st_gid == entry.st_gid;
        })) {
      return false;
    }
    return !IsWritable(entry, S_IWOTH) ||
           own_has([](const struct stat& ours) { return IsWritable(ours, S_IWOTH); });
  });
}

}  // namespace halo

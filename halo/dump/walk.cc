// Uses a list of pending folders instead of recursion, and a set of visited folders by device and
// inode.
#include "halo/dump/walk.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#if defined(__unix__) && !defined(__wasm__)
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#define HALO_CAN_WALK 1
#endif

#include "halo/base/diagnostics/base_diagnostics.h"

namespace halo {

#ifdef HALO_CAN_WALK
namespace {

constexpr size_t kMaxSkippedKept = 100;

std::string RealPath(const std::string& path) {
  char* resolved = realpath(path.c_str(), nullptr);
  if (resolved == nullptr) return {};
  std::string result = resolved;
  free(resolved);  // NOLINT: realpath allocates so
  return result;
}

class Walk {
 public:
  Walk(std::string root, const WalkOptions& options) : root_(std::move(root)), options_(options) {}

  bool Start() {
    struct stat facts{};
    if (stat(root_.c_str(), &facts) != 0) return false;
    real_root_ = RealPath(root_);
    if (real_root_ != "/") real_root_ += '/';
    seen_.insert({facts.st_dev, facts.st_ino});
    return ReadFolder("", 0);
  }

  WalkResult Finish() {
    while (!pending_.empty()) {
      const auto [folder, depth] = std::move(pending_.back());
      pending_.pop_back();
      if (!ReadFolder(folder, depth)) SkipUnreadable(folder);
    }
    std::sort(result_.files.begin(), result_.files.end(),
              [](const WalkedFile& a, const WalkedFile& b) { return a.path < b.path; });
    return std::move(result_);
  }

 private:
  // `folder` is relative; it is empty or ends in '/'.
  bool ReadFolder(const std::string& folder, size_t depth) {
    DIR* open = opendir((root_ + "/" + folder).c_str());
    if (open == nullptr) return false;
    while (const dirent* entry = readdir(open)) {
      const std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (result_.files.size() >= options_.max_files) {
        if (!full_) Skip(folder, "there are too many files; the rest is omitted", true);
        full_ = true;
        break;
      }
      Take(folder + entry->d_name, depth);
    }
    closedir(open);
    return true;
  }

  void Take(std::string path, size_t depth) {
    struct stat facts{};
    const std::string full = root_ + "/" + path;
    if (lstat(full.c_str(), &facts) != 0) return SkipUnreadable(path);
    const bool is_link = S_ISLNK(facts.st_mode);
    if (is_link) {
      if (stat(full.c_str(), &facts) != 0) return Skip(path, "a broken link");
      // With a slash: the folder itself is inside, a folder whose name is longer is not.
      const bool inside = (RealPath(full) + "/").starts_with(real_root_);
      if (!inside && !options_.follow) {
        ++result_.links_outside;
        return Skip(path, kLinkLeadsOut);
      }
      if (inside && S_ISDIR(facts.st_mode))
        return Skip(path, "a link to a folder that is listed already");
    }
    if (S_ISREG(facts.st_mode)) {
      result_.files.push_back({std::move(path), static_cast<uint64_t>(facts.st_size)});
    } else if (!S_ISDIR(facts.st_mode)) {
      Skip(path, "neither a file nor a folder");
    } else if (depth + 1 >= options_.max_depth) {
      Skip(path, "folders are nested too deeply");
    } else if (seen_.insert({facts.st_dev, facts.st_ino}).second) {
      pending_.emplace_back(path + "/", depth + 1);
    } else {
      Skip(path, "a folder that was listed already");
    }
  }

  void Skip(const std::string& path, std::string_view why, bool is_unreadable = false) {
    ++result_.skipped_count;
    if (is_unreadable) ++result_.unreadable;
    if (result_.skipped.size() < kMaxSkippedKept) {
      result_.skipped.push_back({path, std::string(why), is_unreadable});
    }
  }

  void SkipUnreadable(const std::string& path) { Skip(path, std::strerror(errno), true); }

  std::string root_;
  std::string real_root_;
  WalkOptions options_;
  WalkResult result_;
  std::vector<std::pair<std::string, size_t>> pending_;
  std::set<std::pair<dev_t, ino_t>> seen_;
  bool full_ = false;
};

}  // namespace

bool IsFolder(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

Result<WalkResult> WalkFolder(const std::string& root, const WalkOptions& options) {
  Walk walk(root, options);
  if (!walk.Start()) {
    return MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                                "cannot list " + root + ": " + std::strerror(errno));
  }
  return walk.Finish();
}
#else
bool IsFolder(const std::string& path) {
  (void)path;
  return false;
}

Result<WalkResult> WalkFolder(const std::string& root, const WalkOptions& options) {
  (void)options;
  return MakeBinaryDiagnostic(diag::kCannotOpen, 0,
                              "cannot list " + root + ": this build reads no folders");
}
#endif

}  // namespace halo

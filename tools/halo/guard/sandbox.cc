// Landlock restricts files, a seccomp filter the system calls. Both are asked for directly: headers
// of older distributions lack the newer rights.
#if defined(__linux__)
#include "tools/halo/guard/sandbox.h"

#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <optional>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/halo/guard/call_filter.h"

namespace halo::tool {
namespace {

// The rights of Landlock, by the version of its interface that introduced them.
constexpr uint64_t kExecute = 1U << 0, kWriteFile = 1U << 1, kReadFile = 1U << 2,
                   kReadDir = 1U << 3, kRemoveFile = 1U << 5, kMakeFile = 1U << 8;
constexpr uint64_t kVersion1 = (1U << 13) - 1;
constexpr uint64_t kRefer = 1U << 13;     // version 2
constexpr uint64_t kTruncate = 1U << 14;  // version 3
constexpr uint64_t kTcp = 3;              // version 4: bind, connect
constexpr uint64_t kScopes = 3;           // version 6: abstract Unix sockets, signals
constexpr uint64_t kForFiles = kExecute | kWriteFile | kReadFile | kTruncate;

struct RulesetAttributes {
  uint64_t files = 0, network = 0, scopes = 0;
};
struct __attribute__((packed)) PathRule {
  uint64_t allowed = 0;
  int32_t parent = -1;
};
constexpr int kPathRule = 1;

class Landlock {
 public:
  Landlock() {
    version_ = syscall(SYS_landlock_create_ruleset, nullptr, 0, 1U /* ask for the version */);
    if (version_ < 1) return;
    RulesetAttributes all;
    all.files = kVersion1 | (version_ >= 2 ? kRefer : 0) | (version_ >= 3 ? kTruncate : 0);
    if (version_ >= 4) all.network = kTcp;
    if (version_ >= 6) all.scopes = kScopes;
    const size_t size = version_ >= 6 ? 24 : version_ >= 4 ? 16 : 8;
    handled_ = all.files;
    ruleset_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &all, size, 0));
  }
  ~Landlock() {
    if (ruleset_ >= 0) close(ruleset_);
  }
  Landlock(const Landlock&) = delete;
  Landlock& operator=(const Landlock&) = delete;

  // A path that does not exist needs no right.
  void Allow(const std::string& path, uint64_t rights) const {
    PathRule rule;
    rule.parent = open(path.c_str(), O_PATH | O_CLOEXEC);
    if (rule.parent < 0) return;
    struct stat found{};
    if (fstat(rule.parent, &found) == 0) {
      rule.allowed = rights & handled_ & (S_ISDIR(found.st_mode) ? ~uint64_t{0} : kForFiles);
      syscall(SYS_landlock_add_rule, ruleset_, kPathRule, &rule, 0);
    }
    close(rule.parent);
  }
  [[nodiscard]] bool Enforce() const {
    return ruleset_ >= 0 && syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0;
  }
  [[nodiscard]] bool exists() const { return ruleset_ >= 0; }

 private:
  long version_ = 0;  // NOLINT(google-runtime-int): what syscall returns
  uint64_t handled_ = 0;
  int ruleset_ = -1;
};

// What the C library, OpenMP and the code generator ask about the machine.
constexpr const char* kAboutTheMachine[] = {
    "/proc/self",     "/proc/cpuinfo",       "/proc/meminfo",
    "/proc/stat",     "/sys/devices/system", "/sys/fs/cgroup",
    "/etc/localtime", "/etc/ld.so.cache",    "/proc/sys/vm/overcommit_memory",
    "/dev/urandom",
};

// The file to read for a path: the file itself, or the archive that the path names a member of.
// Empty if there is neither: the right to read a folder that exists would be one to read all of it.
std::string FileOf(const std::string& path) {
  std::error_code failed;
  std::filesystem::path existing = path;
  if (std::filesystem::exists(existing, failed)) return path;
  while (existing.has_relative_path() && !std::filesystem::exists(existing, failed)) {
    existing = existing.parent_path();
  }
  return std::filesystem::is_regular_file(existing, failed) ? existing.string() : "";
}

bool RestrictFiles(const SandboxRequest& request) {
  const Landlock landlock;
  if (!landlock.exists()) return false;
  for (const char* path : kAboutTheMachine) landlock.Allow(path, kReadFile | kReadDir);
  landlock.Allow("/dev/null", kReadFile | kWriteFile);
  for (const std::string& path : request.reads) landlock.Allow(FileOf(path), kReadFile);
  for (const std::string& path : request.writes) landlock.Allow(path, kWriteFile | kTruncate);
  for (const std::string& path : request.folders) {
    landlock.Allow(path, kReadFile | kReadDir | kWriteFile | kTruncate | kMakeFile | kRemoveFile);
  }
  for (const std::string& path : request.read_folders) {
    landlock.Allow(path, kReadFile | kReadDir);
  }
  return landlock.Enforce();
}

#if defined(__x86_64__)
constexpr std::optional<CallInterface> kInterface = CallInterface::kX86_64;
#elif defined(__aarch64__)
constexpr std::optional<CallInterface> kInterface = CallInterface::kAarch64;
#else
constexpr std::optional<CallInterface> kInterface;
#endif

bool RestrictCalls() {
  if (!kInterface) return false;
  std::vector<sock_filter> steps;
  for (const auto& [code, if_true, if_false, value] :
       CallFilter(*kInterface, static_cast<uint32_t>(getpid()))) {
    steps.push_back({code, if_true, if_false, value});
  }
  const sock_fprog program = {static_cast<uint16_t>(steps.size()), steps.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// Threads that run already would keep their rights, and with them the memory of all.
bool HasOtherThreads() {
  std::error_code failed;
  std::filesystem::directory_iterator it("/proc/self/task", failed);
  int threads = 0;
  for (; !failed && it != std::filesystem::directory_iterator(); it.increment(failed)) ++threads;
  return threads > 1;
}

}  // namespace

SandboxReport EnterSandbox(const SandboxRequest& request) {
  SandboxReport report;
  if (HasOtherThreads()) {
    report.why_not = "other threads of the process run already";
    return report;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    report.why_not = "this system allows neither Landlock nor seccomp";
    return report;
  }
  report.files = RestrictFiles(request);
  report.network = RestrictCalls();
  if (!report.files) report.why_not = "this kernel has no Landlock, which restricts files";
  if (!report.network) {
    report.why_not += report.why_not.empty() ? "" : "; ";
    report.why_not += "this system allows no seccomp filter, which restricts the network";
  }
  return report;
}

}  // namespace halo::tool

#endif  // __linux__

// Landlock restricts files, a seccomp filter the system calls. Both are asked for directly: their
// headers in older distributions lack the newer rights, and the filter is a list.
#if defined(__linux__)
#include "tools/halo/guard/sandbox.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/halo/guard/denied_calls.h"

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

std::string ExistingPart(std::string path) {
  std::error_code failed;
  while (!path.empty() && !std::filesystem::exists(path, failed)) {
    path = std::filesystem::path(path).parent_path().string();
  }
  return path;
}

bool RestrictFiles(const SandboxRequest& request) {
  const Landlock landlock;
  if (!landlock.exists()) return false;
  for (const char* path : kAboutTheMachine) landlock.Allow(path, kReadFile | kReadDir);
  landlock.Allow("/dev/null", kReadFile | kWriteFile);
  for (const std::string& path : request.reads) landlock.Allow(ExistingPart(path), kReadFile);
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
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;
#endif
constexpr uint32_t kOtherInterface = 0x40000000;  // x32 on x86-64; no other architecture gets there

sock_filter Statement(uint16_t code, uint32_t value) { return {code, 0, 0, value}; }
sock_filter SkipUnless(uint16_t comparison, uint32_t value, uint8_t skipped) {
  return {static_cast<uint16_t>(BPF_JMP | comparison | BPF_K), 0, skipped, value};
}

std::vector<sock_filter> CallFilter() {
  const sock_filter deny = Statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  std::vector<sock_filter> filter;
  const auto load = [&](size_t offset) {
    filter.push_back(Statement(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)));
  };
  const auto deny_if = [&](uint16_t comparison, uint32_t value) {
    filter.push_back(SkipUnless(comparison, value, 1));
    filter.push_back(deny);
  };
  load(offsetof(seccomp_data, arch));
  filter.push_back({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kArchitecture});
  filter.push_back(deny);
  load(offsetof(seccomp_data, nr));
  deny_if(BPF_JGE, kOtherInterface);
  for (const int number : kDeniedCalls) deny_if(BPF_JEQ, static_cast<uint32_t>(number));
  // Characters could otherwise be typed into the terminal, for the shell to read.
  filter.push_back(SkipUnless(BPF_JEQ, SYS_ioctl, 5));
  load(offsetof(seccomp_data, args[1]));
  deny_if(BPF_JEQ, TIOCSTI);
  deny_if(BPF_JEQ, TIOCLINUX);
  filter.push_back(Statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return filter;
}

bool RestrictCalls() {
  if (kArchitecture == 0) return false;
  std::vector<sock_filter> filter = CallFilter();
  const sock_fprog program = {static_cast<uint16_t>(filter.size()), filter.data()};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

}  // namespace

SandboxReport EnterSandbox(const SandboxRequest& request) {
  SandboxReport report;
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

// What a worker that was taken over could still ask of the kernel. Preloaded into `halo run`, it
// waits until the worker installs its filter of system calls, and then tries, in a child process
// with the same filter, every number that the filter should refuse and every argument that it
// should refuse:
//
//   LD_PRELOAD=build/release/bench/libsandbox_probe.so halo run MODULE --random 1 --cache none
//
// A line says of each whether it was refused, the last one how many. They go to standard error or
// to the file named by HALO_PROBE_OUTPUT, at its end.
//
// Nothing that the filter allows takes effect: the child first installs another filter, which
// answers every call with an error that no call returns. Where both refuse, the kernel reports the
// error of the one that was installed last, which is the worker's.
#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "tools/halo/guard/call_filter.h"

namespace {

using halo::tool::CallInterface;
using halo::tool::kAllowedCalls;
using halo::tool::kNoNumber;
using Word = unsigned long;  // NOLINT(google-runtime-int): what system calls take

#if defined(__x86_64__)
constexpr CallInterface kHere = CallInterface::kX86_64;
#else
constexpr CallInterface kHere = CallInterface::kAarch64;
#endif

constexpr int kReached = EXDEV;  // the error of a call that the worker's filter lets through
constexpr int kLastNumber = 600;
constexpr int kAnotherProcess = 1;

int output = STDERR_FILENO;

__attribute__((constructor)) void OpenOutput() {
  const char* path = getenv("HALO_PROBE_OUTPUT");
  if (path == nullptr) return;
  output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

struct ForbiddenCall {
  const char* name;
  Word number;
  std::array<Word, 6> arguments;
};

// Calls by number alone, with arguments that no call accepts.
struct KnownName {
  const char* name;
  int number;
};
constexpr KnownName kNames[] = {
    {"socket", SYS_socket},
    {"execve", SYS_execve},
    {"execveat", SYS_execveat},
    {"ptrace", SYS_ptrace},
    {"kill", SYS_kill},
    {"tkill", SYS_tkill},
    {"rt_sigqueueinfo", SYS_rt_sigqueueinfo},
    {"fchmod", SYS_fchmod},
    {"fchmodat", SYS_fchmodat},
    {"fchownat", SYS_fchownat},
    {"setxattr", SYS_setxattr},
    {"utimensat", SYS_utimensat},
    {"shmget", SYS_shmget},
    {"shmat", SYS_shmat},
    {"msgget", SYS_msgget},
    {"semget", SYS_semget},
    {"inotify_init1", SYS_inotify_init1},
    {"inotify_add_watch", SYS_inotify_add_watch},
    {"fanotify_init", SYS_fanotify_init},
    {"setpriority", SYS_setpriority},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_setscheduler", SYS_sched_setscheduler},
    {"ioprio_set", SYS_ioprio_set},
    {"mount", SYS_mount},
    {"unshare", SYS_unshare},
    {"setns", SYS_setns},
    {"chroot", SYS_chroot},
    {"pivot_root", SYS_pivot_root},
    {"sethostname", SYS_sethostname},
    {"setdomainname", SYS_setdomainname},
    {"settimeofday", SYS_settimeofday},
    {"kexec_load", SYS_kexec_load},
    {"init_module", SYS_init_module},
    {"delete_module", SYS_delete_module},
    {"reboot", SYS_reboot},
    {"swapon", SYS_swapon},
    {"quotactl", SYS_quotactl},
    {"acct", SYS_acct},
    {"add_key", SYS_add_key},
    {"keyctl", SYS_keyctl},
    {"bpf", SYS_bpf},
    {"perf_event_open", SYS_perf_event_open},
    {"userfaultfd", SYS_userfaultfd},
    {"seccomp", SYS_seccomp},
    {"memfd_create", SYS_memfd_create},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"kcmp", SYS_kcmp},
    {"setuid", SYS_setuid},
    {"capset", SYS_capset},
    {"pidfd_send_signal", 424},
    {"io_uring_setup", 425},
    {"open_tree", 428},
    {"move_mount", 429},
    {"fsopen", 430},
    {"pidfd_open", 434},
    {"clone3", 435},
    {"openat2", 437},
    {"pidfd_getfd", 438},
    {"process_madvise", 440},
    {"mount_setattr", 442},
    {"quotactl_fd", 443},
    {"landlock_restrict_self", 446},
    {"memfd_secret", 447},
    {"process_mrelease", 448},
    {"fchmodat2", 452},
    {"setxattrat", 463},
    {"removexattrat", 466},
    {"open_tree_attr", 467},
    {"file_setattr", 469},
};

const char* NameOf(int number) {
  for (const KnownName& each : kNames) {
    if (each.number == number) return each.name;
  }
  return "";
}

bool IsListed(int number) {
  for (const auto& call : kAllowedCalls) {
    if (call.number(kHere) == number) return true;
  }
  return false;
}

constexpr Word kThread = 0x003d0f00;  // flags of clone for a thread
constexpr Word kNone = ~Word{0};

// Calls that are allowed with other arguments.
constexpr ForbiddenCall kByArgument[] = {
    {"clone: fork", SYS_clone, {SIGCHLD}},
    {"clone: vfork", SYS_clone, {0x4100 | SIGCHLD}},
    {"clone: NEWTIME", SYS_clone, {kThread | 0x80}},
    {"clone: NEWNS", SYS_clone, {SIGCHLD | 0x20000}},
    {"clone: NEWCGROUP", SYS_clone, {SIGCHLD | 0x02000000}},
    {"clone: NEWUTS", SYS_clone, {SIGCHLD | 0x04000000}},
    {"clone: NEWIPC", SYS_clone, {SIGCHLD | 0x08000000}},
    {"clone: NEWUSER", SYS_clone, {SIGCHLD | 0x10000000}},
    {"clone: NEWPID", SYS_clone, {SIGCHLD | 0x20000000}},
    {"clone: NEWNET", SYS_clone, {SIGCHLD | 0x40000000}},
    {"clone: thread with NEWUSER", SYS_clone, {kThread | 0x10000000}},
    {"clone: thread with NEWNET", SYS_clone, {kThread | 0x40000000}},
    {"prlimit64: another process", SYS_prlimit64, {kAnotherProcess, 7, 0, 0}},
    {"prlimit64: set another's", SYS_prlimit64, {kAnotherProcess, 7, 4096, 0}},
    {"prlimit64: set own", SYS_prlimit64, {0, 2, 4096, 0}},
    {"sched_getaffinity: another", SYS_sched_getaffinity, {kAnotherProcess, 0, 0}},
    {"tgkill: another process", SYS_tgkill, {kAnotherProcess, kAnotherProcess, 15}},
    {"tgkill: any process", SYS_tgkill, {kNone, kAnotherProcess, 15}},
    {"fcntl: F_SETFL O_ASYNC", SYS_fcntl, {0, F_SETFL, O_ASYNC}},
    {"fcntl: F_SETOWN", SYS_fcntl, {0, 8, kAnotherProcess}},
    {"fcntl: F_SETSIG", SYS_fcntl, {0, 10, 9}},
    {"fcntl: F_SETOWN_EX", SYS_fcntl, {0, 15, 0}},
    {"fcntl: F_SETLEASE", SYS_fcntl, {0, 1024, 0}},
    {"fcntl: F_NOTIFY", SYS_fcntl, {0, 1026, 0}},
    {"fcntl: F_SETPIPE_SZ", SYS_fcntl, {0, 1031, 1 << 20}},
    {"fcntl: F_ADD_SEALS", SYS_fcntl, {0, 1033, 0}},
    {"ioctl: TIOCSTI", SYS_ioctl, {0, 0x5412, 0}},
    {"ioctl: TIOCLINUX", SYS_ioctl, {0, 0x541c, 0}},
    {"ioctl: TIOCSCTTY", SYS_ioctl, {0, 0x540e, 0}},
    {"ioctl: TIOCSPGRP", SYS_ioctl, {0, 0x5410, 0}},
    {"ioctl: TCSETS", SYS_ioctl, {0, 0x5402, 0}},
    {"ioctl: TIOCSWINSZ", SYS_ioctl, {0, 0x5414, 0}},
    {"ioctl: FIOASYNC", SYS_ioctl, {0, 0x5452, 0}},
    {"ioctl: FIOSETOWN", SYS_ioctl, {0, 0x8901, 0}},
    {"ioctl: FS_IOC_SETFLAGS", SYS_ioctl, {0, 0x40086602, 0}},
    {"ioctl: FS_IOC_FSSETXATTR", SYS_ioctl, {0, 0x401c5820, 0}},
    {"ioctl: FICLONE", SYS_ioctl, {0, 0x40049409, 0}},
    {"prctl: SET_PDEATHSIG", SYS_prctl, {1, 0}},
    {"prctl: SET_DUMPABLE", SYS_prctl, {4, 1}},
    {"prctl: SET_SECUREBITS", SYS_prctl, {28, 0}},
    {"prctl: SET_MM", SYS_prctl, {35, 0}},
    {"prctl: SET_CHILD_SUBREAPER", SYS_prctl, {36, 0}},
    {"prctl: CAP_AMBIENT", SYS_prctl, {47, 0}},
    {"prctl: SET_SPECULATION_CTRL", SYS_prctl, {53, 0}},
    {"prctl: SYSCALL_USER_DISPATCH", SYS_prctl, {59, 0}},
    {"prctl: SCHED_CORE", SYS_prctl, {62, 0}},
    {"prctl: SET_PTRACER", SYS_prctl, {0x59616d61, kNone}},
    {"madvise: MERGEABLE", SYS_madvise, {0, 4096, 12}},
    {"madvise: HWPOISON", SYS_madvise, {0, 4096, 100}},
    {"madvise: SOFT_OFFLINE", SYS_madvise, {0, 4096, 101}},
#if defined(__x86_64__)
    {"arch_prctl: SET_FS", SYS_arch_prctl, {0x1002, 0}},
    {"arch_prctl: CET_LOCK", SYS_arch_prctl, {0x5003, 0}},
#endif
};

// uretprobe and uprobe, which the kernel exempts from all filters. They do nothing but end a
// process that calls them from elsewhere than the kernel's own code.
bool IsExempt([[maybe_unused]] int number) {
#if defined(__x86_64__)
  return number == 335 || number == 336;
#else
  return false;
#endif
}

std::vector<ForbiddenCall> AllForbidden() {
  std::vector<ForbiddenCall> calls(std::begin(kByArgument), std::end(kByArgument));
  constexpr std::array<Word, 6> kNothing = {kNone, kNone, kNone, kNone, kNone, kNone};
  for (int number = 0; number <= kLastNumber; ++number) {
    if (IsExempt(number)) continue;
    if (!IsListed(number)) calls.push_back({NameOf(number), static_cast<Word>(number), kNothing});
#if defined(__x86_64__)
    // The same by the interface for pointers of 32 bits.
    if (IsListed(number))
      calls.push_back({"x32", 0x40000000U + static_cast<Word>(number), kNothing});
#endif
  }
  return calls;
}

sock_filter Step(uint16_t code, uint32_t value, uint8_t if_true = 0, uint8_t if_false = 0) {
  return {code, if_true, if_false, value};
}

// Answers every call with kReached but those that the child needs for its report and its end, and
// to install the worker's filter.
bool HoldCallsBack() {
  constexpr uint16_t kLoad = BPF_LD | BPF_W | BPF_ABS, kEqual = BPF_JMP | BPF_JEQ | BPF_K,
                     kReturn = BPF_RET | BPF_K;
  constexpr uint32_t kFirst = offsetof(seccomp_data, args);
  std::array<sock_filter, 10> steps = {
      Step(kLoad, offsetof(seccomp_data, nr)),
      Step(kEqual, SYS_exit_group, 6, 0),
      Step(kEqual, SYS_write, 0, 2),
      Step(kLoad, kFirst),
      Step(kEqual, static_cast<uint32_t>(output), 3, 4),
      Step(kEqual, SYS_prctl, 0, 3),
      Step(kLoad, kFirst),
      Step(kEqual, PR_SET_SECCOMP, 0, 1),
      Step(kReturn, SECCOMP_RET_ALLOW),
      Step(kReturn, SECCOMP_RET_ERRNO | kReached),
  };
  const sock_fprog program = {steps.size(), steps.data()};
  return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

__attribute__((format(printf, 1, 2))) void ProbeLine(const char* format, ...) {
  std::array<char, 160> line{};
  va_list list;
  va_start(list, format);
  const int length = vsnprintf(line.data(), line.size(), format, list);
  va_end(list);
  [[maybe_unused]] const ssize_t ignored = write(output, line.data(), static_cast<size_t>(length));
}

void TryAll(Word workers_filter) {
  const std::vector<ForbiddenCall> calls = AllForbidden();
  if (!HoldCallsBack() ||
      syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, workers_filter, 0, 0) != 0) {
    ProbeLine("PROBE failed: a filter could not be installed (error %d)\n", errno);
    return;
  }
  int allowed = 0;
  for (const auto& [name, number, a] : calls) {
    errno = 0;
    syscall(static_cast<long>(number), a[0], a[1], a[2], a[3], a[4],
            a[5]);  // NOLINT
    const bool is_refused = errno == EPERM || errno == ENOSYS;
    if (!is_refused) ++allowed;
    ProbeLine("PROBE %-7s %-6s %10lu %s\n", is_refused ? "refused" : "allowed",
              errno == EPERM    ? "EPERM"
              : errno == ENOSYS ? "ENOSYS"
                                : "",
              number, name);
  }
  ProbeLine("PROBE %zu variants: %zu refused, %d allowed\n", calls.size(),
            calls.size() - static_cast<size_t>(allowed), allowed);
}

void ProbeFilter(Word workers_filter) {
  // Not fork: libraries would be told, and the worker has their threads.
  const auto child = static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child == 0) {
    TryAll(workers_filter);
    syscall(SYS_exit_group, 0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    ProbeLine("PROBE failed: the child ended with status %d\n", status);
  }
}

}  // namespace

// In place of the C library's.
extern "C" int prctl(int option, ...) {
  va_list list;
  va_start(list, option);
  std::array<Word, 4> a{};
  for (Word& each : a) each = va_arg(list, Word);
  va_end(list);
  if (option == PR_SET_SECCOMP && output >= 0) ProbeFilter(a[1]);
  return static_cast<int>(syscall(SYS_prctl, option, a[0], a[1], a[2], a[3]));
}

#endif

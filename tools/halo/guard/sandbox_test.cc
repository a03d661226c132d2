// What a process in the sandbox may not do: each attempt is made for real, in a child process, and
// must be refused. Where the kernel lacks a part of the sandbox, the test of that part is skipped
// with the reason that the sandbox gives.
#include "tools/halo/guard/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

namespace fs = std::filesystem;

int ErrorOf(int64_t result) { return result < 0 ? errno : 0; }
int ErrorOfOpening(const fs::path& path, int flags) {
  return ErrorOf(open(path.c_str(), flags | O_CLOEXEC, 0600));
}

struct Attempt {
  const char* name;
  int number;
  std::array<uintptr_t, 6> arguments;
};
constexpr auto kHere = static_cast<uintptr_t>(AT_FDCWD);
uintptr_t Address(const void* at) { return reinterpret_cast<uintptr_t>(at); }

class SandboxTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "halo_sandbox_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    fs::create_directory(folder_ / "open");
    for (const char* file : {"named", "other", "open/old"}) std::ofstream(folder_ / file) << "x";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Calls `attempt` in a child process that has entered the sandbox, and returns its result.
  int InSandbox(const SandboxRequest& request, const std::function<int()>& attempt) {
    const int child = fork();
    if (child == 0) {
      const SandboxReport report = EnterSandbox(request);
      *report_ = {report.files, report.network};
      _exit(attempt());
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    return WEXITSTATUS(status);
  }
  // The names of the attempts that are not refused. A call that this kernel lacks is no way either.
  std::string AllowedOf(const std::vector<Attempt>& attempts) {
    std::string allowed;
    for (const auto& [name, number, a] : attempts) {
      const int error = InSandbox(
          {}, [&] { return ErrorOf(syscall(number, a[0], a[1], a[2], a[3], a[4], a[5])); });
      if (error != EPERM && error != ENOSYS) allowed += std::string(name) + "; ";
    }
    return allowed;
  }
  [[nodiscard]] bool restricts_files() const { return report_->files; }
  [[nodiscard]] bool restricts_calls() const { return report_->calls; }

  fs::path folder_;

 private:
  struct Shared {
    bool files = false, calls = false;
  };
  Shared* report_ = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
};

#define NEEDS_LANDLOCK() \
  if (!restricts_files()) GTEST_SKIP() << "this kernel has no Landlock, or it is turned off"
#define NEEDS_SECCOMP() \
  if (!restricts_calls()) GTEST_SKIP() << "this system allows no seccomp filter"

TEST_F(SandboxTest, ReadsOnlyNamedFiles) {
  const SandboxRequest request = {
      .reads = {(folder_ / "named").string()}, .writes = {}, .folders = {}};
  const int named = InSandbox(request, [&] { return ErrorOfOpening(folder_ / "named", O_RDONLY); });
  const int other = InSandbox(request, [&] { return ErrorOfOpening(folder_ / "other", O_RDONLY); });
  const int users = InSandbox(request, [&] { return ErrorOfOpening("/etc/passwd", O_RDONLY); });
  NEEDS_LANDLOCK();
  EXPECT_EQ(named, 0);
  EXPECT_EQ(other, EACCES);
  EXPECT_EQ(users, EACCES);
}

TEST_F(SandboxTest, GrantsNothingForWhatDoesNotExist) {
  const SandboxRequest request = {
      .reads = {(folder_ / "missing").string(), (folder_ / "also/missing").string(), "/missing"},
      .writes = {},
      .folders = {}};
  const int other = InSandbox(request, [&] { return ErrorOfOpening(folder_ / "other", O_RDONLY); });
  const int users = InSandbox(request, [&] { return ErrorOfOpening("/etc/passwd", O_RDONLY); });
  // A member of an archive is read from the archive.
  const SandboxRequest member = {
      .reads = {(folder_ / "named/of/archive").string()}, .writes = {}, .folders = {}};
  const int archive =
      InSandbox(member, [&] { return ErrorOfOpening(folder_ / "named", O_RDONLY); });
  const int beside = InSandbox(member, [&] { return ErrorOfOpening(folder_ / "other", O_RDONLY); });
  NEEDS_LANDLOCK();
  EXPECT_EQ(other, EACCES);
  EXPECT_EQ(users, EACCES);
  EXPECT_EQ(archive, 0);
  EXPECT_EQ(beside, EACCES);
}

TEST_F(SandboxTest, WritesNoFileOutsideNamedFolders) {
  const SandboxRequest request = {.reads = {(folder_ / "named").string()},
                                  .writes = {},
                                  .folders = {(folder_ / "open").string()}};
  const auto error = [&](const char* name, int flags) {
    return InSandbox(request, [&] { return ErrorOfOpening(folder_ / name, flags); });
  };
  const int written = error("named", O_WRONLY);
  const int created = error("new", O_WRONLY | O_CREAT);
  const int removed =
      InSandbox(request, [&] { return ErrorOf(unlink((folder_ / "other").c_str())); });
  const int inside = error("open/new", O_RDWR | O_CREAT);
  const int replaced = InSandbox(request, [&] {
    return ErrorOf(rename((folder_ / "open/new").c_str(), (folder_ / "open/old").c_str()));
  });
  NEEDS_LANDLOCK();
  EXPECT_EQ(written, EACCES);
  EXPECT_EQ(created, EACCES);
  EXPECT_EQ(removed, EACCES);
  EXPECT_EQ(inside, 0);
  EXPECT_EQ(replaced, 0);
  EXPECT_TRUE(fs::exists(folder_ / "other"));
}

TEST_F(SandboxTest, KeepsOpenFilesUsable) {
  const int file = open((folder_ / "other").c_str(), O_RDWR | O_CLOEXEC);
  const int error = InSandbox({}, [&] { return ErrorOf(write(file, "y", 1)); });
  close(file);
  EXPECT_EQ(error, 0);
}

TEST_F(SandboxTest, OpensNoSocket) {
  const int inet = InSandbox({}, [] { return ErrorOf(socket(AF_INET, SOCK_STREAM, 0)); });
  const int local = InSandbox({}, [] { return ErrorOf(socket(AF_UNIX, SOCK_DGRAM, 0)); });
  const int ring = InSandbox({}, [] {
    return ErrorOf(syscall(SYS_io_uring_setup, 1, nullptr));  // EFAULT without the filter
  });
  NEEDS_SECCOMP();
  EXPECT_EQ(inet, EPERM);
  EXPECT_EQ(local, EPERM);
  EXPECT_EQ(ring, ENOSYS);  // as if the kernel were older
}

TEST_F(SandboxTest, AppliesToThreadsThatStartLater) {
  const int error = InSandbox({}, [] {
    int found = 0;
    std::thread([&] { found = ErrorOf(socket(AF_INET, SOCK_STREAM, 0)); }).join();
    return found;
  });
  NEEDS_SECCOMP();
  EXPECT_EQ(error, EPERM);
}

TEST_F(SandboxTest, StartsNoProgramAndReachesNoProcess) {
  const int started = InSandbox({}, [] {
    char name[] = "/bin/true";
    char* const arguments[] = {name, nullptr};
    return ErrorOf(execve(name, arguments, nullptr));
  });
  const int signalled = InSandbox({}, [] { return ErrorOf(kill(getppid(), 0)); });
  const int traced =
      InSandbox({}, [] { return ErrorOf(ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr)); });
  const int mode = InSandbox({}, [&] { return ErrorOf(chmod((folder_ / "named").c_str(), 0777)); });
  const int typed = InSandbox({}, [] {
    char letter = 'x';
    return ErrorOf(ioctl(STDIN_FILENO, TIOCSTI, &letter));
  });
  // A process may signal itself: that is how it aborts.
  const int own = InSandbox({}, [] {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGUSR1, &ignore, nullptr);
    return raise(SIGUSR1);
  });
  NEEDS_SECCOMP();
  EXPECT_EQ(started, EPERM);
  EXPECT_EQ(signalled, EPERM);
  EXPECT_EQ(traced, EPERM);
  EXPECT_EQ(mode, EPERM);
  EXPECT_EQ(typed, EPERM);
  EXPECT_EQ(own, 0);
}

TEST_F(SandboxTest, ChangesNoAttributesOfFiles) {
  const std::string named = (folder_ / "named").string();
  const uintptr_t path = Address(named.c_str());
  struct {
    uint64_t value;
    uint32_t size, flags;
  } attribute = {Address("x"), 1, 0};
  std::array<uint64_t, 3> flags{};
  const std::vector<Attempt> attempts = {
      {"fchmod", SYS_fchmod, {0, 0644}},
      {"fchmodat", SYS_fchmodat, {kHere, path, 0644}},
      {"fchmodat2", 452, {kHere, path, 0644, 0}},
      {"fchownat", SYS_fchownat, {kHere, path, getuid(), getgid(), 0}},
      {"setxattr", SYS_setxattr, {path, Address("user.p"), Address("x"), 1, 0}},
      {"setxattrat", 463, {kHere, path, 0, Address("user.p"), Address(&attribute), 16}},
      {"removexattrat", 466, {kHere, path, 0, Address("user.p")}},
      {"file_setattr", 469, {kHere, path, Address(flags.data()), 24, 0}},
      {"utimensat", SYS_utimensat, {kHere, path, 0, 0}},
  };
  fs::permissions(named, fs::perms::owner_read);
  const std::string allowed = AllowedOf(attempts);
  NEEDS_SECCOMP();
  EXPECT_EQ(allowed, "");
  EXPECT_EQ(fs::status(named).permissions(), fs::perms::owner_read);
}

TEST_F(SandboxTest, ChangesNoOtherProcess) {
  const int victim = fork();
  if (victim == 0) {
    pause();
    _exit(0);
  }
  const auto other = static_cast<uintptr_t>(victim);
  std::array<uint64_t, 2> limit = {64, 64};
  std::array<uint64_t, 128> cores{};
  cores[0] = 1;
  f_owner_ex owner = {F_OWNER_PID, static_cast<pid_t>(other)};
  const std::vector<Attempt> attempts = {
      {"prlimit64", SYS_prlimit64, {other, RLIMIT_NOFILE, Address(limit.data()), 0}},
      {"prlimit64 to read", SYS_prlimit64, {other, RLIMIT_NOFILE, 0, Address(limit.data())}},
      {"sched_setaffinity", SYS_sched_setaffinity, {other, sizeof cores, Address(cores.data())}},
      {"sched_getaffinity", SYS_sched_getaffinity, {other, sizeof cores, Address(cores.data())}},
      {"setpriority", SYS_setpriority, {PRIO_PROCESS, other, 15}},
      {"ioprio_set", SYS_ioprio_set, {1, other, 0}},
      {"kill", SYS_kill, {other, 0}},
      {"tkill", SYS_tkill, {other, 0}},
      {"tgkill", SYS_tgkill, {other, other, 0}},
      {"rt_sigqueueinfo", SYS_rt_sigqueueinfo, {other, 0, Address(limit.data())}},
      {"pidfd_open", 434, {other, 0}},
      {"process_vm_writev", SYS_process_vm_writev, {other, 0, 0, 0, 0, 0}},
      {"process_vm_readv", SYS_process_vm_readv, {other, 0, 0, 0, 0, 0}},
      {"process_madvise", 440, {0, 0, 0, 0, 0}},
      {"process_mrelease", 448, {0, 0}},
      {"kcmp", SYS_kcmp, {other, other, 0, 0, 0}},
      {"move_pages", SYS_move_pages, {other, 0, 0, 0, 0, 0}},
      {"fcntl F_SETOWN", SYS_fcntl, {0, F_SETOWN, other}},
      {"fcntl F_SETOWN_EX", SYS_fcntl, {0, F_SETOWN_EX, Address(&owner)}},
      {"fcntl F_SETSIG", SYS_fcntl, {0, F_SETSIG, SIGTERM}},
      {"fcntl F_SETFL O_ASYNC", SYS_fcntl, {0, F_SETFL, O_ASYNC}},
      {"ioctl FIOASYNC", SYS_ioctl, {0, FIOASYNC, Address(limit.data())}},
      {"shmget", SYS_shmget, {IPC_PRIVATE, 4096, 0600 | IPC_CREAT}},
      {"shmat", SYS_shmat, {0, 0, SHM_RDONLY}},
      {"msgget", SYS_msgget, {IPC_PRIVATE, 0600 | IPC_CREAT}},
      {"semget", SYS_semget, {IPC_PRIVATE, 1, 0600 | IPC_CREAT}},
      {"inotify_init1", SYS_inotify_init1, {0}},
      {"inotify_add_watch", SYS_inotify_add_watch, {0, Address("/"), 0xfff}},
      {"fanotify_init", SYS_fanotify_init, {0, 0}},
      {"memfd_secret", 447, {0}},
  };
  const std::string allowed = AllowedOf(attempts);
  const int priority = getpriority(PRIO_PROCESS, static_cast<id_t>(victim));
  kill(victim, SIGKILL);
  waitpid(victim, nullptr, 0);
  NEEDS_SECCOMP();
  EXPECT_EQ(allowed, "");
  EXPECT_EQ(priority, getpriority(PRIO_PROCESS, 0));
}

TEST_F(SandboxTest, ChangesNothingOfTheMachine) {
  const std::vector<Attempt> attempts = {
      {"clone NEWUSER", SYS_clone, {SIGCHLD | 0x10000000}},
      {"clone NEWNET", SYS_clone, {SIGCHLD | 0x40000000}},
      {"clone of a process", SYS_clone, {SIGCHLD}},
      {"clone3", 435, {0, 0}},
      {"unshare", SYS_unshare, {0}},
      {"setns", SYS_setns, {0, 0}},
      {"mount", SYS_mount, {0, 0, 0, 0, 0}},
      {"open_tree", 428, {kHere, Address("/"), 0}},
      {"open_tree_attr", 467, {kHere, Address("/"), 0, 0, 0}},
      {"mount_setattr", 442, {kHere, Address("/"), 0, 0, 0}},
      {"kexec_file_load", 320, {0, 0, 0, 0, 0}},
      {"kexec_load", SYS_kexec_load, {0, 0, 0, 0}},
      {"sethostname", SYS_sethostname, {0, UINTPTR_MAX}},
      {"settimeofday", SYS_settimeofday, {0, 0}},
      {"swapon", SYS_swapon, {0, 0}},
      {"quotactl", SYS_quotactl, {0, 0, 0, 0}},
      {"acct", SYS_acct, {Address("/missing")}},
      {"bpf", SYS_bpf, {0, 0, 0}},
      {"perf_event_open", SYS_perf_event_open, {0, 0, 0, 0, 0}},
      {"userfaultfd", SYS_userfaultfd, {0}},
      {"keyctl", SYS_keyctl, {0, 0, 0, 0, 0}},
      {"add_key", SYS_add_key, {0, 0, 0, 0, 0}},
      {"io_uring_setup", 425, {1, 0}},
      {"seccomp", SYS_seccomp, {2, 0, Address("action")}},
      {"prctl PR_SET_MM", SYS_prctl, {35, 0, 0, 0, 0}},
      {"madvise HWPOISON", SYS_madvise, {0, 4096, 100}},
      {"a call that no kernel has", 1000, {}},
  };
  const std::string allowed = AllowedOf(attempts);
  NEEDS_SECCOMP();
  EXPECT_EQ(allowed, "");
}

// What the engine, the evaluator and their libraries do.
TEST_F(SandboxTest, LetsProgramsWork) {
  const int error = InSandbox({.reads = {}, .writes = {}, .folders = {folder_.string()}}, [&] {
    cpu_set_t cores;
    pthread_attr_t attributes;
    int problems = 0;
    const auto expect = [&](bool holds, int bit) { problems |= holds ? 0 : 1 << bit; };
    expect(sched_getaffinity(0, sizeof cores, &cores) == 0, 0);
    std::thread([&] { expect(pthread_getattr_np(pthread_self(), &attributes) == 0, 1); }).join();
    const fs::path made = folder_ / "made";
    const int file = open(made.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    expect(write(file, "abc", 3) == 3 && fsync(file) == 0, 2);
    expect(rename(made.c_str(), (folder_ / "other").c_str()) == 0, 3);
    // Compiled code is written, then made executable.
    void* code = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    expect(code != MAP_FAILED && mprotect(code, 4096, PROT_READ | PROT_EXEC) == 0, 4);
    expect(madvise(code, 4096, MADV_DONTNEED) == 0, 5);
    expect(std::this_thread::get_id() != std::thread::id(), 6);
    return problems;
  });
  EXPECT_EQ(error, 0);
}

// A thread from before would keep its rights.
TEST_F(SandboxTest, ClaimsNothingIfThreadsRunAlready) {
  const int child = fork();
  if (child == 0) {
    std::thread([] { pause(); }).detach();
    const SandboxReport report = EnterSandbox({});
    _exit(!report.files && !report.network && !report.why_not.empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SandboxTest, SaysWhatIsMissing) {
  const int child = fork();
  if (child == 0) {
    const SandboxReport report = EnterSandbox({});
    _exit(report.why_not.empty() == (report.files && report.network) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace halo::tool

// What a process in the sandbox may not do: each attempt is made for real, in a child process, and
// must be refused. Where the kernel lacks a part of the sandbox, the test of that part is skipped
// with the reason that the sandbox gives.
#include "tools/halo/guard/sandbox.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
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
  EXPECT_EQ(ring, EPERM);
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

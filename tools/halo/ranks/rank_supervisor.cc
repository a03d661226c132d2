// Forks before MPI is loaded. Both processes have mpiexec's connection, which closes with the last
// of them. After a loss, also removes the shared memory that MPICH could not.
#include "tools/halo/ranks/rank_supervisor.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "tools/halo/session/session.h"
#include "tools/halo/system/child_processes.h"

namespace halo::tool {
namespace {

// A rank that computes is ended after 2.5 s if another one was lost.
constexpr std::chrono::milliseconds kAfterLoss{3000};
// Ranks that end with an error have told the others.
constexpr std::chrono::milliseconds kAfterError{300};
constexpr const char* kSegments = "/dev/shm/mpich_shar_tmp";

bool IsMapped(const std::string& path) {
  std::error_code failed;
  for (std::filesystem::directory_iterator it("/proc", failed), end; !failed && it != end;
       it.increment(failed)) {
    std::ifstream maps(it->path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      if (line.ends_with(path)) return true;
    }
  }
  return false;
}

// MPICH removes the name of a segment once all ranks of the machine have mapped it. If one is
// killed before, the name stays.
void RemoveSegments() {
  std::error_code failed;
  for (std::filesystem::directory_iterator it("/dev/shm", failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string path = it->path().string();
    struct stat found{};
    const bool is_ours = path.starts_with(kSegments) && lstat(path.c_str(), &found) == 0 &&
                         S_ISREG(found.st_mode) && found.st_uid == geteuid();
    if (is_ours && !IsMapped(path)) unlink(path.c_str());
  }
}

}  // namespace

std::optional<int> SuperviseRank() {
  std::fflush(stdout);  // or both processes would print it
  // mpiexec sends it to the other ranks if one is lost. It would end them.
  std::signal(SIGUSR1, SIG_IGN);
  const pid_t supervisor = getpid();
  const pid_t worker = fork();
  if (worker < 0) return std::nullopt;  // works without
  if (worker == 0) {
    EndWithParent(SIGKILL);
    if (getppid() != supervisor) _exit(kExitUnusable);
    return std::nullopt;
  }
  int status = 0;
  while (waitpid(worker, &status, 0) < 0 && errno == EINTR) {
  }
  const bool was_killed = WIFSIGNALED(status);
  const int exit_code = was_killed ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (exit_code != 0) std::this_thread::sleep_for(was_killed ? kAfterLoss : kAfterError);
  if (was_killed) RemoveSegments();
  return exit_code;
}

}  // namespace halo::tool

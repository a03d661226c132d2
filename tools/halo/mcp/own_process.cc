// The child leads a separate process group, which is killed as a whole.
#include "tools/halo/mcp/own_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "halo/base/io/write_all.h"
#include "halo/plugins/own_executable.h"
#include "tools/halo/system/child_processes.h"

namespace halo::tool {

OwnProcess::~OwnProcess() {
  if (!is_running()) return;
  Kill();
  Wait();
}

bool OwnProcess::Start(const std::vector<std::string>& arguments) {
  const std::string own = OwnExecutable().string();
  int to_child[2], from_child[2];
  if (own.empty() || !MakePipe(to_child)) return false;
  if (!MakePipe(from_child)) {
    close(to_child[0]);
    close(to_child[1]);
    return false;
  }
  std::vector<char*> words = {const_cast<char*>(own.c_str())};  // NOLINT: execv does not write
  for (const std::string& each : arguments) {
    words.push_back(const_cast<char*>(each.c_str()));  // NOLINT
  }
  words.push_back(nullptr);
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int parent = getpid();
  pid_ = fork();
  if (pid_ == 0) {
    // Only calls that are safe between fork and exec.
    setpgid(0, 0);
    EndWithParent(SIGKILL);
    if (getppid() != parent) _exit(127);
    dup2(to_child[0], STDIN_FILENO);
    dup2(from_child[1], STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    execv(own.c_str(), words.data());
    _exit(127);
  }
  close(to_child[0]);
  close(from_child[1]);
  if (nothing >= 0) close(nothing);
  input_ = to_child[1];
  output_ = from_child[0];
  if (pid_ > 0) {
    setpgid(pid_, pid_);
    return true;
  }
  pid_ = 0;
  close(input_);
  close(output_);
  return false;
}

bool OwnProcess::Write(std::string_view bytes) const { return WriteAll(input_, bytes); }

void OwnProcess::CloseInput() {
  if (input_ >= 0) close(input_);
  input_ = -1;
}

OwnProcess::Got OwnProcess::Read(int milliseconds, std::string& bytes) const {
  pollfd waiting{output_, POLLIN, 0};
  const int ready = poll(&waiting, 1, milliseconds);
  if (ready <= 0) return Got::kNothing;
  std::array<char, 65536> part;  // NOLINT: filled below
  const ssize_t got = read(output_, part.data(), part.size());
  if (got < 0 && errno == EINTR) return Got::kNothing;
  if (got <= 0) return Got::kEnd;
  bytes.append(part.data(), static_cast<size_t>(got));
  return Got::kBytes;
}

void OwnProcess::Kill() const {
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

int OwnProcess::Wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  // What it started and left behind.
  kill(-pid_, SIGKILL);
  CloseInput();
  close(output_);
  output_ = -1;
  pid_ = 0;
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace halo::tool

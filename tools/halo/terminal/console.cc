// Writes to the standard streams.
#include "tools/halo/terminal/console.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace halo::tool {
namespace {

// See https://no-color.org: the variable counts if it is set and not empty.
bool ColorsAllowed() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

}  // namespace

Console::Console() {
  // If a reader closes the pipe, a write fails instead of raising a signal.
  std::signal(SIGPIPE, SIG_IGN);
  const bool colors = ColorsAllowed();
  err_terminal_ = isatty(STDERR_FILENO) != 0;
  out_terminal_ = isatty(STDOUT_FILENO) != 0;
  out_color_ = colors && out_terminal_;
  err_color_ = colors && err_terminal_;
}

void Console::Out(std::string_view text) {
  if (broken_pipe_ || failed_ || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  (errno == EPIPE ? broken_pipe_ : failed_) = true;
}

void Console::Err(std::string_view text) {
  Status("");
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::Status(std::string_view text) {
  if (!err_terminal_ || (text.empty() && !status_shown_)) return;
  const std::string line = "\r\033[K" + std::string(text);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  status_shown_ = !text.empty();
}

bool Console::Finish() {
  Status("");
  if (!broken_pipe_ && !failed_ && std::fflush(stdout) != 0 && errno != EPIPE) failed_ = true;
  if (failed_) Err("halo: cannot write to standard output\n");
  return !failed_;
}

}  // namespace halo::tool

// Writes to the standard streams.
#include "tools/halo/terminal/console.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "halo/base/strings/printable.h"
#include "tools/halo/terminal/fit_text.h"

namespace halo::tool {
namespace {

// Of a terminal that does not know its size.
constexpr size_t kUsualWidth = 80;
// Narrower terminals are not worth fitting: every word would have its own line.
constexpr size_t kLeastWidth = 40;

// See https://no-color.org: the variable counts if it is set and not empty.
bool ColorsAllowed() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) != "dumb";
}

size_t ColumnsVariable() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  size_t columns = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, columns);
  return error == std::errc() && stop == end ? columns : 0;
}

size_t WidthOf(int stream, bool is_terminal) {
  size_t width = ColumnsVariable();
  if (width == 0) {
    if (!is_terminal) return 0;
    winsize size{};
    width = ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualWidth;
  }
  return std::max(width, kLeastWidth);
}

}  // namespace

Console::Console() {
  // If a reader closes the pipe, a write fails instead of raising a signal.
  std::signal(SIGPIPE, SIG_IGN);
  err_terminal_ = isatty(STDERR_FILENO) != 0;
  out_terminal_ = isatty(STDOUT_FILENO) != 0;
  out_width_ = WidthOf(STDOUT_FILENO, out_terminal_);
  err_width_ = WidthOf(STDERR_FILENO, err_terminal_);
  SetColor(ColorMode::kAuto);
}

void Console::SetColor(ColorMode mode) {
  const bool is_auto = mode == ColorMode::kAuto && ColorsAllowed();
  out_color_ = mode == ColorMode::kAlways || (is_auto && out_terminal_);
  err_color_ = mode == ColorMode::kAlways || (is_auto && err_terminal_);
}

void Console::Detach(bool out_color, bool err_color) {
  out_terminal_ = err_terminal_ = false;
  out_width_ = WidthOf(STDOUT_FILENO, false);
  err_width_ = WidthOf(STDERR_FILENO, false);
  out_color_ = out_color;
  err_color_ = err_color;
}

void Console::Out(std::string_view text) {
  Write(out_terminal_ ? out_filter_.Pass(text, /*styled=*/false) : std::string(text));
}

void Console::Relay(std::string_view text) {
  Write(out_terminal_ ? out_filter_.Pass(text, out_color_) : std::string(text));
}

void Console::Write(std::string_view text) {
  if (text.empty()) return;
  Status("");
  if (broken_pipe_ || failed_) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return;
  (errno == EPIPE ? broken_pipe_ : failed_) = true;
}

void Console::Print(std::string_view text) {
  Write(out_filter_.Rest());
  Write(FitLines(Filtered(text, out_color_), out_width_));
}

void Console::Err(std::string_view text) {
  Status("");
  std::fflush(stdout);
  const std::string fitted = FitLines(Filtered(text, err_color_), err_width_);
  std::fwrite(fitted.data(), 1, fitted.size(), stderr);
}

void Console::Status(std::string_view text) {
  if (!err_terminal_ || (text.empty() && !status_shown_)) return;
  // A line that reached the last column could not be erased.
  const std::string line = "\r\033[K" + FitName(Printable(text), err_width_ - 1);
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fflush(stderr);
  status_shown_ = !text.empty();
}

void Console::EraseStatus() {
  status_shown_ = true;
  Status("");
}

bool Console::Finish() {
  Write(out_filter_.Rest());
  Status("");
  if (!broken_pipe_ && !failed_ && std::fflush(stdout) != 0 && errno != EPIPE) failed_ = true;
  if (failed_) Err("halo: cannot write to standard output\n");
  return !failed_;
}

}  // namespace halo::tool

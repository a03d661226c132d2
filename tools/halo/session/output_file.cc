// A file is written next to its destination and takes its name when it is complete. What is written
// in place is opened without creating or truncating anything: it may have been exchanged for a link
// to a file since it was looked at.
#include "tools/halo/session/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/io/gzip.h"
#include "halo/base/io/unfinished_file.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/pending_files.h"
#include "tools/halo/terminal/output_filter.h"

namespace halo::tool {
namespace {

// The open descriptor that a link such as /dev/stdout names; -1 for any other path.
int StandardStream(const std::string& path) {
  struct stat facts{};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISLNK(facts.st_mode)) return -1;
  if (stat(path.c_str(), &facts) != 0) return -1;
  for (const int each : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream{};
    const bool is_open = fstat(each, &stream) == 0;
    if (is_open && stream.st_dev == facts.st_dev && stream.st_ino == facts.st_ino) return each;
  }
  return -1;
}

bool WriteInPlace(const std::string& path, const Producer& produce) {
  if (const int stream = StandardStream(path); stream >= 0) return WriteDescriptor(stream, produce);
  const int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat facts{};
  const bool is_file = fstat(file, &facts) != 0 || S_ISREG(facts.st_mode);
  const bool written = !is_file && WriteDescriptor(file, produce);
  if (is_file) errno = ESTALE;
  const int why = errno;
  const bool closed = close(file) == 0;
  if (!written) errno = why;
  return closed && written;
}

std::string WhereToWrite(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return "this is a folder; name a file in it";
  const std::filesystem::path folder = path.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return fmt::format("there is no folder {}; create it first", folder.string());
  }
  return "choose a folder that you may write to, with enough space";
}

}  // namespace

std::string HalfWritten(const std::string& path, int pid) {
  return fmt::format("{}.{}.tmp", path, pid);
}

std::string NameBeside(const std::string& path, int pid) {
  return HalfWritten(path.substr(path.rfind('/') + 1), pid);
}

bool WriteDescriptor(int file, const Producer& produce) {
  const int own = dup(file);
  std::FILE* stream = own < 0 ? nullptr : fdopen(own, "wb");
  if (stream == nullptr) return false;
  const auto write = [stream](std::string_view bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  };
  // A terminal, such as /dev/tty, is shown the text.
  OutputFilter filter;
  const auto show = [&](std::string_view bytes) { return write(filter.Pass(bytes, false)); };
  const bool written = isatty(own) == 0 ? produce(write) : produce(show) && write(filter.Rest());
  const bool closed = std::fclose(stream) == 0;
  return written && closed;
}

bool IsReplaced(const std::string& path) {
  if (path == "-" || StandardStream(path) >= 0) return false;
  std::error_code error;
  return !std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error);
}

bool CannotWrite(const std::string& path, std::string_view why, Session& session) {
  RefuseWithHint(kCannotWrite, fmt::format("halo: cannot write {}: {}", path, why),
                 "  help: " + WhereToWrite(path), session);
  return false;
}

bool WriteFileInPieces(const std::string& path, const Producer& produce, Session& session) {
  if (path == "-") {
    // With --json, standard output holds the document alone.
    return produce([&session](std::string_view bytes) {
      if (!session.json) session.console.Out(bytes);
      return true;
    });
  }
  if (session.pending != nullptr) {
    if (const std::optional<bool> written = session.pending->Write(path, produce)) {
      return *written || CannotWrite(path, std::strerror(errno), session);
    }
  }
  // Devices and pipes are written in place, not replaced.
  if (!IsReplaced(path)) {
    return WriteInPlace(path, produce) || CannotWrite(path, std::strerror(errno), session);
  }
  UnfinishedFile file(path, NameBeside(path, getpid()));
  if (file.descriptor() < 0) return CannotWrite(path, file.problem(), session);
  if (!WriteDescriptor(file.descriptor(), produce)) {
    return CannotWrite(path, std::strerror(errno), session);
  }
  const std::string why = file.Finish();
  return why.empty() || CannotWrite(path, why, session);
}

bool WriteFile(const std::string& path, std::string_view bytes, Session& session) {
  std::string compressed;
  if (path.ends_with(".gz")) {
    Result<std::string> packed = Gzip(bytes);
    if (!packed) return CannotWrite(path, packed.error().message, session);
    compressed = std::move(*packed);
    bytes = compressed;
  }
  return WriteFileInPieces(path, [bytes](const auto& take) { return take(bytes); }, session);
}

}  // namespace halo::tool

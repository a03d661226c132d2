// A file is written next to its destination and then renamed, so that no reader ever sees a partial
// file.
#include "tools/halo/session/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/io/gzip.h"
#include "tools/halo/session/json_output.h"
#include "tools/halo/session/pending_files.h"

namespace halo::tool {
namespace {

bool WritePieces(const std::string& path, const Producer& produce) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return false;
  const bool written = WriteDescriptor(file, produce);
  return close(file) == 0 && written;
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

int CreateHalfWritten(const std::string& path) {
  unlink(path.c_str());  // of an earlier process with the same number
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

bool WriteDescriptor(int file, const Producer& produce) {
  const int own = dup(file);
  std::FILE* stream = own < 0 ? nullptr : fdopen(own, "wb");
  if (stream == nullptr) return false;
  const bool written = produce([stream](std::string_view bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), stream) == bytes.size();
  });
  const bool closed = std::fclose(stream) == 0;
  return written && closed;
}

bool IsReplaced(const std::string& path) {
  std::error_code error;
  return path != "-" &&
         (!std::filesystem::exists(path, error) || std::filesystem::is_regular_file(path, error));
}

bool CannotWrite(const std::string& path, std::string_view why, Session& session) {
  Refuse(kCannotWrite,
         fmt::format("halo: cannot write {}: {}\n  help: {}", path, why, WhereToWrite(path)),
         session);
  return false;
}

bool ReplaceWith(const std::string& beside, const std::string& path, Session& session) {
  // Keeps the permissions of the replaced file.
  std::error_code ignored;
  std::error_code error;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_regular_file(status)) {
    std::filesystem::permissions(beside, status.permissions(), ignored);
  }
  std::filesystem::rename(beside, path, error);
  return !error || CannotWrite(path, error.message(), session);
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
    return WritePieces(path, produce) || CannotWrite(path, std::strerror(errno), session);
  }
  const std::string beside = HalfWritten(path, getpid());
  const int file = CreateHalfWritten(beside);
  const bool written = file >= 0 && WriteDescriptor(file, produce);
  const int why = errno;
  if (file >= 0) close(file);
  if (!written) {
    if (file >= 0) unlink(beside.c_str());
    return CannotWrite(path, std::strerror(why), session);
  }
  if (ReplaceWith(beside, path, session)) return true;
  unlink(beside.c_str());
  return false;
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

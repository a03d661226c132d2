// A file is written next to its destination and then renamed, so that no reader ever sees a partial
// file.
#include "tools/halo/session/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "halo/base/io/gzip.h"
#include "tools/halo/session/json_output.h"

namespace halo::tool {
namespace {

bool Fail(const std::string& path, std::string_view why, Session& session) {
  Refuse(kCannotWrite, fmt::format("halo: cannot write {}: {}", path, why), session);
  return false;
}

bool WritePieces(const std::string& path, const Producer& produce) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool written = produce([file](std::string_view bytes) {
    return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  });
  const bool closed = std::fclose(file) == 0;
  return written && closed;
}

}  // namespace

std::string HalfWritten(const std::string& path, int pid) {
  return fmt::format("{}.{}.tmp", path, pid);
}

bool WriteFileInPieces(const std::string& path, const Producer& produce, Session& session) {
  if (path == "-") {
    // With --json, standard output holds the document alone.
    return produce([&session](std::string_view bytes) {
      if (!session.json) session.console.Out(bytes);
      return true;
    });
  }
  std::error_code error;
  // Devices and pipes are written in place, not replaced.
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    return WritePieces(path, produce) || Fail(path, std::strerror(errno), session);
  }
  const std::string beside = HalfWritten(path, getpid());
  if (!WritePieces(beside, produce)) {
    const int why = errno;
    std::filesystem::remove(beside, error);
    return Fail(path, std::strerror(why), session);
  }
  // Keeps the permissions of the replaced file.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_regular_file(status)) {
    std::filesystem::permissions(beside, status.permissions(), ignored);
  }
  std::filesystem::rename(beside, path, error);
  if (error) {
    std::filesystem::remove(beside, ignored);
    return Fail(path, error.message(), session);
  }
  return true;
}

bool WriteFile(const std::string& path, std::string_view bytes, Session& session) {
  std::string compressed;
  if (path.ends_with(".gz")) {
    Result<std::string> packed = Gzip(bytes);
    if (!packed) return Fail(path, packed.error().message, session);
    compressed = std::move(*packed);
    bytes = compressed;
  }
  return WriteFileInPieces(path, [bytes](const auto& take) { return take(bytes); }, session);
}

}  // namespace halo::tool

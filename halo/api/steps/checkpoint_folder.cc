// A file that cannot be written completely is removed again.
#include "halo/api/steps/checkpoint_folder.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "halo/api/document/run_diagnostics.h"
#include "halo/api/inputs/array_file.h"
#include "halo/base/arrays/npz.h"
#include "halo/base/arrays/npz_writer.h"
#include "halo/base/io/crc32.h"
#include "halo/base/io/source_buffer.h"
#include "halo/base/io/unfinished_file.h"
#include "halo/base/io/write_all.h"

namespace halo {
namespace {

constexpr const char* kManifestName = "checkpoint.json";
constexpr const char* kUnfinished = ".tmp";
constexpr mode_t kFolderMode = 0777;
constexpr size_t kReadPiece = size_t{1} << 20;

std::string SuffixOf(int64_t device) { return ".device-" + std::to_string(device) + ".npz"; }

class OpenFile {
 public:
  explicit OpenFile(int file) : file_(file) {}
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

// Without this, a crash of the machine could undo a rename that was followed by others.
bool SyncFolder(const std::string& path) {
  const OpenFile folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.get() >= 0 && (fsync(folder.get()) == 0 || errno == EINVAL);
}

// Returns the reason if the file at `path` was not created or replaced; `write` fills it.
std::optional<std::string> WriteWhole(const std::string& path,
                                      const std::function<bool(int file)>& write) {
  UnfinishedFile file(path, path.substr(path.rfind('/') + 1) + kUnfinished, {.is_durable = true});
  if (file.descriptor() < 0) return path + ": " + file.problem();
  if (!write(file.descriptor())) return path + ": " + std::strerror(errno);
  const std::string why = file.Finish();
  return why.empty() ? std::nullopt : std::optional(path + ": " + why);
}

// The checksum of a whole file. Nothing if it has another size, or is not a plain zip file.
std::optional<uint32_t> ChecksumOf(const std::string& path, int64_t size) {
  // Without O_NONBLOCK, opening a pipe would wait for its other end.
  const OpenFile file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat found{};
  if (file.get() < 0 || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
      found.st_size != size) {
    return std::nullopt;
  }
  std::vector<uint8_t> piece(kReadPiece);
  uint32_t crc = 0;
  for (int64_t done = 0; done < size;) {
    const ssize_t count = read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    const auto bytes = std::span(piece).first(static_cast<size_t>(count));
    // A compressed file would be expanded when it is opened.
    if (done == 0 && (bytes.size() < 2 || bytes[0] != 'P' || bytes[1] != 'K')) return std::nullopt;
    crc = Crc32(bytes, crc);
    done += count;
  }
  return crc;
}

void RemoveFile(const std::string& path) { unlink(path.c_str()); }

// Visits the names of the folder's files.
void ForEachName(const std::string& folder, const std::function<void(const std::string&)>& visit) {
  std::vector<std::string> names;
  DIR* const listed = opendir(folder.c_str());
  if (listed == nullptr) return;
  while (const dirent* const entry = readdir(listed)) names.emplace_back(entry->d_name);
  closedir(listed);
  for (const std::string& name : names) visit(name);
}

}  // namespace

std::optional<std::string> CheckpointFolder::Create() const {
  // Each folder above it first.
  int failed = 0;
  for (size_t end = path_.find('/', 1);; end = path_.find('/', end + 1)) {
    failed = mkdir(path_.substr(0, end).c_str(), kFolderMode) == 0 ? 0 : errno;
    if (end == std::string::npos) break;
  }
  struct stat found{};
  if (stat(path_.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return std::nullopt;
  const bool is_other = failed == 0 || failed == EEXIST;
  return path_ + ": " + (is_other ? "this is not a folder" : std::strerror(failed));
}

std::string CheckpointFolder::ManifestPath() const { return path_ + "/" + kManifestName; }

std::string CheckpointFolder::StatePath(int64_t step, int64_t device) const {
  return path_ + "/step-" + std::to_string(step) + SuffixOf(device);
}

Result<std::string> CheckpointFolder::ReadManifestText() const {
  const std::string path = ManifestPath();
  const auto unreadable = [&](const char* why) {
    return MakeBinaryDiagnostic(diag::kCheckpointRefused, 0, path + ": " + why);
  };
  const OpenFile file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) {
    if (errno == ENOENT) return std::string();
    return unreadable(std::strerror(errno));
  }
  struct stat found{};
  if (fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0 ||
      static_cast<size_t>(found.st_size) > kMaxManifest) {
    return unreadable("this is not the manifest of a checkpoint");
  }
  std::string text(static_cast<size_t>(found.st_size), '\0');
  for (size_t done = 0; done < text.size();) {
    const ssize_t count = read(file.get(), text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return unreadable("it cannot be read");
    done += static_cast<size_t>(count);
  }
  return text;
}

std::optional<std::string> CheckpointFolder::WriteManifestText(std::string_view text) const {
  auto why = WriteWhole(ManifestPath(), [&](int file) { return WriteAll(file, text); });
  // Once it has its name, it counts, whether or not it would survive a crash of the machine.
  if (!why) SyncFolder(path_);
  return why;
}

Result<CheckpointFile> CheckpointFolder::WriteState(
    int64_t step, int64_t device, const std::vector<CheckpointArray>& arrays) const {
  CheckpointFile written;
  const auto write = [&](int file) {
    NpzWriter writer([&](std::string_view bytes) {
      written.bytes += static_cast<int64_t>(bytes.size());
      written.crc =
          Crc32({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, written.crc);
      return WriteAll(file, bytes);
    });
    for (const CheckpointArray& each : arrays) {
      writer.Add(each.name, StoredTypeOf(each.array.type()), each.array.dims(),
                 {each.array.bytes(), each.array.byte_count()});
    }
    return writer.Finish();
  };
  const std::string path = StatePath(step, device);
  std::optional<std::string> why = WriteWhole(path, write);
  if (!why && !SyncFolder(path_)) why = path_ + ": " + std::strerror(errno);
  if (!why) return written;
  RemoveFile(path);
  return MakeBinaryDiagnostic(diag::kCheckpointNotWritten, 0, *std::move(why));
}

std::optional<std::string> CheckpointFolder::ReadState(int64_t step, int64_t device,
                                                       const CheckpointFile& expected,
                                                       std::vector<CheckpointArray>& arrays) const {
  const std::string path = StatePath(step, device);
  if (ChecksumOf(path, expected.bytes) != expected.crc) {
    if (access(path.c_str(), F_OK) != 0) return path + " is missing";
    return path + " is not as it was written: it is truncated or altered";
  }
  const Result<SourceBuffer> source = SourceBuffer::Open(path);
  if (!source) return path + ": " + source.error().message;
  const Result<NpzReader> reader = NpzReader::Open(source->bytes());
  if (!reader) return path + ": " + reader.error().message;
  if (reader->size() != arrays.size()) return path + " has other arrays than the program's state";
  for (CheckpointArray& each : arrays) {
    const std::optional<size_t> member = reader->Find(each.name);
    if (!member) return path + " lacks " + each.name;
    // The header first: what does not fit is not worth its memory.
    const Result<NpyHeader> header = reader->Describe(*member);
    if (!header) return path + ": " + header.error().message;
    if (!IsStoredAs(header->type, each.array.type()) ||
        !std::ranges::equal(header->dims, each.array.dims())) {
      return path + ": " + each.name + " has another type or shape than the parameter";
    }
    const Result<NpyArray> array = reader->Read(*member);
    if (!array) return path + ": " + array.error().message;
    each.array = ArrayFrom(*array, each.array.type());
  }
  return std::nullopt;
}

void CheckpointFolder::RemoveState(int64_t step, int64_t device) const {
  RemoveFile(StatePath(step, device));
}

void CheckpointFolder::RemoveOthers(int64_t kept, int64_t device) const {
  const std::string own = SuffixOf(device);
  const std::string whole = "step-" + std::to_string(kept) + own;
  ForEachName(path_, [&](const std::string& name) {
    if (!name.starts_with("step-") || name == whole) return;
    if (name.ends_with(own) || name.ends_with(own + kUnfinished)) {
      RemoveFile(path_ + "/" + name);
    }
  });
}

void CheckpointFolder::RemoveUnfinished() const {
  ForEachName(path_, [&](const std::string& name) {
    const bool is_ours = name.starts_with("step-") || name.starts_with(kManifestName);
    if (is_ours && name.ends_with(kUnfinished)) RemoveFile(path_ + "/" + name);
  });
}

}  // namespace halo

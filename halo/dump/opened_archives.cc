// The two archives that were used last are kept, so that threads which pass from one to the next do
// not open them in turns. A file counts as changed if its identity, size or time of change differs.
#include "halo/dump/opened_archives.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#ifdef HALO_WITH_THREADS
#include <mutex>
#endif
#if defined(__unix__) && !defined(__wasm__)
#include <sys/stat.h>
#define HALO_CAN_IDENTIFY_FILES 1
#endif

namespace halo {
namespace {

struct FileState {
  uint64_t device = 0, inode = 0, size = 0;
  int64_t changed_s = 0, changed_ns = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};

std::optional<FileState> StateOf(const std::string& path) {
#ifdef HALO_CAN_IDENTIFY_FILES
  struct stat facts{};
  if (stat(path.c_str(), &facts) != 0) return std::nullopt;
  FileState state;
  state.device = static_cast<uint64_t>(facts.st_dev);
  state.inode = static_cast<uint64_t>(facts.st_ino);
  state.size = static_cast<uint64_t>(facts.st_size);
#ifdef __APPLE__
  state.changed_s = facts.st_ctimespec.tv_sec;
  state.changed_ns = facts.st_ctimespec.tv_nsec;
#else
  state.changed_s = facts.st_ctim.tv_sec;
  state.changed_ns = facts.st_ctim.tv_nsec;
#endif
  return state;
#else
  (void)path;
  return std::nullopt;
#endif
}

constexpr size_t kKeptCount = 2;

struct Kept {
  struct Entry {
    FileState state;
    std::shared_ptr<const OpenedArchive> archive;
  };
#ifdef HALO_WITH_THREADS
  std::mutex mutex;
#endif
  std::vector<Entry> entries;  // the one used last comes last
};

Kept& TheKept() {
  static Kept kept;
  return kept;
}

}  // namespace

OpenedArchive::OpenedArchive(SourceBuffer opened) : source(std::move(opened)) {
  for (PackedFile& each : ListPacked(source.bytes()).files) {
    std::string name = each.name;
    files.insert_or_assign(std::move(name), std::move(each));
  }
}

const PackedFile* OpenedArchive::Find(std::string_view name) const {
  const auto found = files.find(std::string(name));
  return found == files.end() ? nullptr : &found->second;
}

Result<std::shared_ptr<const OpenedArchive>> OpenArchive(const std::string& path,
                                                         const std::string& folder) {
  Kept& kept = TheKept();
#ifdef HALO_WITH_THREADS
  const std::scoped_lock lock(kept.mutex);
#endif
  const std::optional<FileState> state = StateOf(path);
  const auto found = std::find_if(kept.entries.begin(), kept.entries.end(),
                                  [&](const Kept::Entry& each) { return each.state == state; });
  if (found != kept.entries.end()) {
    std::rotate(found, found + 1, kept.entries.end());
    return kept.entries.back().archive;
  }
  // Before the next one is decompressed.
  if (kept.entries.size() == kKeptCount) kept.entries.erase(kept.entries.begin());
  Result<SourceBuffer> source =
      folder.empty() ? SourceBuffer::Open(path) : SourceBuffer::OpenBelow(folder, path);
  if (!source) return source.error();
  auto archive = std::make_shared<const OpenedArchive>(std::move(*source));
  if (state) kept.entries.push_back({*state, archive});
  return std::shared_ptr<const OpenedArchive>(std::move(archive));
}

}  // namespace halo

// Lists the files of a folder and determines each one's role from its name, or else from its first
// bytes. group.cc groups them into modules.
#include <algorithm>
#include <map>

#include "halo/base/parallel.h"
#include "halo/dump/dump.h"
#include "halo/dump/file_kind.h"
#include "halo/dump/group.h"
#include "halo/dump/open_file.h"

namespace halo {
namespace {

// Larger compressed files are not decompressed just to identify them.
constexpr uint64_t kMaxLookedInto = uint64_t{256} << 20;
// A capture whose first frame comes later is treated as a log.
constexpr size_t kMaxSearched = size_t{64} << 20;
constexpr size_t kMaxPackedFiles = 1'000'000;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

FileRole ClassOfKind(FileKind kind) {
  switch (kind) {
    case FileKind::kHloText: return FileRole::kModuleText;
    case FileKind::kHloProto:
    case FileKind::kHloModuleProto: return FileRole::kModuleProto;
    case FileKind::kHloSnapshot: return FileRole::kSnapshot;
    case FileKind::kHloCapture: return FileRole::kCapture;
    case FileKind::kHloRecords: return FileRole::kModuleRiegeli;
    case FileKind::kExecutableRecords: return FileRole::kExecutable;
    case FileKind::kXSpace: return FileRole::kTrace;
    case FileKind::kBufferAssignment: return FileRole::kAssignment;
    case FileKind::kBufferAssignmentValues: return FileRole::kAssignmentValues;
    case FileKind::kLiveRange: return FileRole::kLiveRange;
    case FileKind::kBufferAssignmentProto: return FileRole::kAssignmentProto;
    case FileKind::kMemoryUsageReport: return FileRole::kMemoryReport;
    case FileKind::kMlir: return FileRole::kMlir;
    case FileKind::kThunkSequence: return FileRole::kThunkSequence;
    case FileKind::kDebugOptions: return FileRole::kFlags;
    case FileKind::kModuleConfig: return FileRole::kModuleConfig;
    case FileKind::kAutotuning: return FileRole::kAutotuning;
    case FileKind::kLlvmIr: return FileRole::kLlvmIr;
    case FileKind::kPtx: return FileRole::kDeviceCode;
    case FileKind::kTextProto:
    case FileKind::kEmpty:
    case FileKind::kText:
    case FileKind::kUtf16:
    case FileKind::kRecords:
    case FileKind::kBinary: break;
  }
  return FileRole::kUnknown;
}

// The part of a file's name that names of related files also begin with.
std::string_view StemOfName(std::string_view name) {
  return name.substr(0, name.find_first_of(".-"));
}

// Archives and captures that were opened to list their contents, by path.
using Containers = std::map<std::string, SourceBuffer, std::less<>>;

class Indexer {
 public:
  Indexer(std::string root, const DumpOptions& options) : options_(options) {
    dump_.root = std::move(root);
    dump_.follows_links = options_.walk.follow;
  }

  // The folder of one file, as far as it concerns that file.
  Result<Dump> FromFolderOf(std::string_view file) {
    only_file_ = BaseName(file);
    options_.walk.max_depth = 1;
    return FromFolder();
  }

  Result<Dump> FromFolder() {
    Result<WalkResult> walked = WalkFolder(dump_.root, options_.walk);
    if (!walked) return walked.error();
    dump_.skipped = std::move(walked->skipped);
    dump_.skipped_count = walked->skipped_count;
    dump_.links_outside = walked->links_outside;
    dump_.unreadable = walked->unreadable;
    for (WalkedFile& file : walked->files) Add(std::move(file.path), file.bytes);
    return Finish();
  }

  // The root itself is an archive or a capture and is already open.
  Result<Dump> FromFile(SourceBuffer source) {
    dump_.root_is_file = true;
    AddPacked("", std::move(source));
    return Finish();
  }

 private:
  DumpFile& Add(std::string path, uint64_t bytes) {
    DumpName name = ParseDumpName(BaseName(path));
    DumpFile& file = dump_.files.emplace_back();
    file.path = std::move(path);
    file.bytes = bytes;
    file.compression = name.compression;
    file.file_role = name.file_role;
    names_.push_back(std::move(name));
    if (IsReproducer(file.path)) file.file_role = FileRole::kReproducer;
    return file;
  }

  // `container` is empty if the root is the container.
  void AddPacked(const std::string& container, SourceBuffer source) {
    Packed packed = ListPacked(source.bytes());
    if (packed.files.size() > kMaxPackedFiles) {
      packed.files.resize(kMaxPackedFiles);
      packed.problem = "it holds more than a million files";
    }
    if (!packed.problem.empty()) {
      Skip(container.empty() ? dump_.root : container, packed.problem, true);
    }
    if (packed.skipped != 0) {
      Skip(container.empty() ? dump_.root : container,
           std::to_string(packed.skipped) + " entries that are not files");
    }
    for (PackedFile& each : packed.files) {
      std::string path = container.empty() ? each.name : container + "/" + each.name;
      if (packed_.contains(path)) {
        Skip(path, "more than once in its archive; the last one is used");
      } else {
        DumpFile& file = Add(path, each.bytes);
        file.is_packed = true;
        file.is_framed = packed.is_capture;
        file.is_embedded = packed.is_profile;
      }
      packed_.insert_or_assign(std::move(path), std::pair(container, std::move(each)));
    }
    containers_.emplace(container, std::move(source));
  }

  void Skip(std::string path, std::string why, bool is_unreadable = false) {
    ++dump_.skipped_count;
    if (is_unreadable) ++dump_.unreadable;
    dump_.skipped.push_back({std::move(path), std::move(why), is_unreadable});
  }

  void OpenArchives() {
    const size_t count = dump_.files.size();
    for (size_t i = 0; i < count; ++i) {
      const bool is_container = dump_.files[i].file_role == FileRole::kArchive ||
                                dump_.files[i].file_role == FileRole::kTrace;
      if (!is_container || dump_.files[i].is_packed) continue;
      const std::string path = dump_.files[i].path;
      Result<SourceBuffer> source = OpenListed(i);
      if (!source) {
        Skip(path, source.error().message, true);
      } else {
        AddPacked(path, std::move(*source));
      }
    }
  }

  // Identifies files with inconclusive names by their bytes, in parallel.
  void LookInside(size_t first) {
    std::vector<size_t> strange;
    for (size_t i = first; i < dump_.files.size(); ++i) {
      const DumpFile& file = dump_.files[i];
      if (file.file_role == FileRole::kUnknown && IsRelated(file.path)) strange.push_back(i);
    }
    ParallelFor(static_cast<int64_t>(strange.size()), 8, options_.parallel,
                [&](int64_t begin, int64_t end) {
                  for (int64_t i = begin; i < end; ++i) LookInto(strange[static_cast<size_t>(i)]);
                });
  }

  [[nodiscard]] bool IsRelated(std::string_view path) const {
    if (only_file_.empty() || path == only_file_) return true;
    const std::string_view stem = StemOfName(only_file_);
    return !stem.empty() && StemOfName(path) == stem;
  }

  void OpenCaptures() {
    const size_t count = dump_.files.size();
    for (size_t i = 0; i < count; ++i) {
      if (dump_.files[i].file_role != FileRole::kCapture || dump_.files[i].is_packed) continue;
      const std::string path = dump_.files[i].path;
      Result<SourceBuffer> source = OpenListed(i);
      if (source) AddPacked(path, std::move(*source));
    }
    LookInside(count);
  }

  void LookInto(size_t index) {
    DumpFile& file = dump_.files[index];
    if (file.compression != Compression::kNone && file.bytes > kMaxLookedInto) {
      file.looks_like = "compressed and too large to inspect";
      return;
    }
    const Result<SourceBuffer> source = OpenFile(index);
    if (!source) {
      file.looks_like = source.error().message;
      return;
    }
    const FileKind kind = DetectKind(source->bytes().substr(0, kMaxSearched));
    file.looks_like = DescribeKind(kind);
    file.file_role = ClassOfKind(kind);
  }

  // A file of the folder. It may have been replaced by a link since it was listed.
  Result<SourceBuffer> OpenListed(size_t index) const {
    const std::string path = dump_.PathOf(static_cast<int32_t>(index));
    const std::string folder = dump_.Fence();
    return folder.empty() ? SourceBuffer::Open(path) : SourceBuffer::OpenBelow(folder, path);
  }

  Result<SourceBuffer> OpenFile(size_t index) const {
    const DumpFile& file = dump_.files[index];
    const auto found = packed_.find(file.path);
    if (found == packed_.end()) return OpenListed(index);
    const auto& [container, packed] = found->second;
    return OpenPacked(containers_.find(container)->second.bytes(), packed, file.path);
  }

  Result<Dump> Finish() {
    if (options_.look_inside) {
      if (only_file_.empty()) OpenArchives();
      LookInside(0);
      if (only_file_.empty()) OpenCaptures();
    }
    for (const DumpFile& file : dump_.files) {
      if (!file.is_packed || dump_.root_is_file) dump_.bytes += file.bytes;
    }
    GroupFiles(names_, dump_);
    return std::move(dump_);
  }

  DumpOptions options_;
  std::string only_file_;  // the only file of the folder that matters; empty if all do
  Dump dump_;
  std::vector<DumpName> names_;  // one per file
  Containers containers_;
  std::map<std::string, std::pair<std::string, PackedFile>> packed_;
};

Result<Dump> IndexRoot(const std::string& path, const DumpOptions& options) {
  if (IsFolder(path)) return Indexer(path, options).FromFolder();
  Result<SourceBuffer> source = SourceBuffer::Open(path);
  if (!source) return source.error();
  if (!ListPacked(source->bytes()).files.empty()) {
    return Indexer(path, options).FromFile(std::move(*source));
  }
  const size_t slash = path.rfind('/');
  std::string folder =
      slash == std::string::npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  Indexer indexer(std::move(folder), options);
  Result<Dump> dump = options.only_this_file ? indexer.FromFolderOf(path) : indexer.FromFolder();
  if (!dump) return dump;
  const std::string_view name = BaseName(path);
  const auto file = std::find_if(dump->files.begin(), dump->files.end(),
                                 [&](const DumpFile& each) { return each.path == name; });
  if (file != dump->files.end()) {
    dump->given_file = static_cast<int32_t>(file - dump->files.begin());
  }
  return dump;
}

}  // namespace

Result<Dump> IndexDump(const std::string& path, const DumpOptions& options) {
  Result<Dump> dump = IndexRoot(path, options);
  if (dump) dump->given = path;
  return dump;
}

}  // namespace halo

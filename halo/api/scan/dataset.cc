// A manifest has a line of JSON for each file: [path, bytes, modified, program]. Names that begin
// with _ are ignored by everything that reads folders of Parquet files.
#include "halo/api/scan/dataset.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#if !defined(__wasm__)
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#endif

#include "halo/api/document/version.h"
#include "halo/base/diagnostics/base_diagnostics.h"
#include "halo/base/hash.h"
#include "halo/base/io/source_buffer.h"
#include "halo/base/io/unfinished_file.h"
#include "halo/base/io/write_all.h"
#include "halo/base/json/json_reader.h"
#include "halo/base/json/json_writer.h"
#include "halo/diff/fingerprint/fingerprint.h"
#include "halo/diff/graph/value_label.h"
#include "halo/profile/parquet/parquet_writer.h"

namespace halo {
namespace {

Diagnostic CannotUse(const std::string& path, std::string_view why, const std::string& help = {}) {
  Diagnostic diagnostic =
      MakeBinaryDiagnostic(diag::kCannotOpen, 0, path + ": " + std::string(why));
  diagnostic.help = help.empty() ? "--to must name a folder that can be written to" : help;
  return diagnostic;
}

// Within one run of the program only, so any hash will do.
uint64_t FileKey(std::string_view path, int64_t bytes, int64_t modified) {
  return HashWords({HashBytes(path.data(), path.size()), static_cast<uint64_t>(bytes),
                    static_cast<uint64_t>(modified)});
}

}  // namespace

#if !defined(__wasm__)

namespace {

constexpr std::string_view kManifests = "_manifest";
constexpr std::string_view kSchemaName = "halo.dataset.v";

std::string Numbered(int64_t number, size_t digits) {
  std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

// Completely or not at all: under another name first, and on the disk before it gets its own.
Result<bool> WriteWhole(const std::string& path, std::string_view bytes) {
  const std::string name = path.substr(path.rfind('/') + 1);
  UnfinishedFile file(path, "_" + name + "." + std::to_string(getpid()) + ".tmp",
                      {.mode = 0644, .is_durable = true});
  if (file.descriptor() < 0) return CannotUse(path, file.problem());
  if (!WriteAll(file.descriptor(), bytes)) return CannotUse(path, std::strerror(errno));
  const std::string why = file.Finish();
  return why.empty() ? Result<bool>(true) : CannotUse(path, why);
}

// The files of a folder; empty if there is none.
std::vector<std::string> FileNames(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator each(folder, error);
  for (const std::filesystem::directory_iterator end; !error && each != end;
       each.increment(error)) {
    names.push_back(each->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Dataset::Dataset(DatasetPlace place, const PartLimits& limits)
    : place_(std::move(place)), limits_(limits), rows_(EmptyScanRows()) {}

Dataset::Dataset(Dataset&& other) noexcept
    : place_(std::move(other.place_)),
      limits_(other.limits_),
      lock_(std::exchange(other.lock_, -1)),
      next_part_(other.next_part_),
      files_(std::move(other.files_)),
      refused_(std::move(other.refused_)),
      programs_(std::move(other.programs_)),
      rows_(std::move(other.rows_)),
      manifest_(std::move(other.manifest_)),
      parts_(other.parts_),
      bytes_(other.bytes_),
      row_counts_(other.row_counts_) {}

Dataset::~Dataset() {
  if (lock_ >= 0) close(lock_);
}

std::string Dataset::FolderOf(std::string_view table) const {
  const std::string folder = place_.folder + "/" + std::string(table);
  return place_.partition.empty() ? folder : folder + "/" + place_.partition;
}

std::string Dataset::PartName(int64_t part) const {
  const size_t digits = std::max<size_t>(std::to_string(place_.shards).size(), 3);
  return "part-" + Numbered(place_.shard, digits) + "of" + Numbered(place_.shards, digits) + "-" +
         Numbered(part, 5);
}

Result<Dataset> Dataset::Open(const DatasetPlace& place, const PartLimits& limits) {
  Dataset dataset(place, limits);
  if (const Result<bool> prepared = dataset.Prepare(); !prepared) return prepared.error();
  if (const Result<bool> read = dataset.ReadManifests(); !read) return read.error();
  dataset.RemoveUnfinished();
  return dataset;
}

// The folders, the version of the schema, and the lock.
Result<bool> Dataset::Prepare() {
  std::error_code error;
  for (size_t i = 0; i < kScanTables; ++i) {
    const std::string folder = FolderOf(TextOf(static_cast<ScanTable>(i)));
    std::filesystem::create_directories(folder, error);
    if (error) return CannotUse(folder, error.message());
  }
  const std::string manifests = FolderOf(kManifests);
  std::filesystem::create_directories(manifests, error);
  if (error) return CannotUse(manifests, error.message());

  const std::string schema_path = place_.folder + "/_dataset.json";
  const std::string schema = std::string(kSchemaName) + std::to_string(kScanSchema);
  if (const Result<SourceBuffer> existing = SourceBuffer::Open(schema_path)) {
    const auto json = ParseJson(existing->bytes()).value_or(JsonValue());
    const std::string_view found = json["schema"].AsString();
    if (found != schema) {
      return CannotUse(place_.folder,
                       "the dataset has schema " + std::string(found) + ", not " + schema,
                       "scan into another folder");
    }
  } else {
    JsonWriter json;
    json.BeginObject().Field("schema", schema).EndObject();
    if (const Result<bool> written = WriteWhole(schema_path, std::string(json.view()) + "\n");
        !written) {
      return written.error();
    }
  }

  const std::string lock =
      manifests + "/" + PartName(0).substr(0, PartName(0).rfind('-')) + ".lock";
  constexpr mode_t kMode = 0644;
  lock_ = open(lock.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (lock_ < 0) return CannotUse(lock, std::strerror(errno));
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return CannotUse(place_.folder, "another scan is writing the same shard of this dataset",
                     "wait for it, or divide the work with --shard");
  }
  return true;
}

Result<bool> Dataset::ReadManifests() {
  const std::string folder = FolderOf(kManifests);
  const std::string own = PartName(0).substr(0, PartName(0).rfind('-') + 1);
  const std::string of = own.substr(own.find("of"));  // "of064-"
  for (const std::string& name : FileNames(folder)) {
    if (!name.starts_with("part-") || !name.ends_with(".json")) continue;
    if (name.find(of) == std::string::npos) {
      return CannotUse(folder, "this part of the dataset was written with another number of shards",
                       "use the number in the names of its files, or another --partition");
    }
    if (!name.starts_with(own)) continue;
    const std::string path = folder + "/" + name;
    const Result<SourceBuffer> manifest = SourceBuffer::Open(path);
    if (!manifest) return manifest.error();
    std::string_view text = manifest->bytes();
    bool is_this_version = false;
    for (bool is_first = true; !text.empty(); is_first = false) {
      const size_t end = std::min(text.find('\n'), text.size());
      const std::optional<JsonValue> line = ParseJson(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (!line || (is_first ? !line->is_object() : line->items.size() != 4)) {
        return CannotUse(path, "the manifest is damaged", "remove the dataset and scan again");
      }
      if (is_first) {
        is_this_version = (*line)["version"].AsString() == Version();
        continue;
      }
      const std::vector<JsonValue>& fields = line->items;
      const uint64_t key = FileKey(fields[0].AsString(), fields[1].AsInt(0), fields[2].AsInt(0));
      const std::string_view program = fields[3].AsString();
      files_.insert(key);
      if (program.empty()) refused_.insert(key);
      uint64_t number = 0;
      const auto [stop, error] =
          std::from_chars(program.data(), program.data() + program.size(), number, 16);
      if (is_this_version && !program.empty() && error == std::errc()) {
        programs_.insert(static_cast<int64_t>(number));
      }
      (void)stop;
    }
    next_part_ =
        std::max<int64_t>(next_part_, std::strtoll(name.c_str() + own.size(), nullptr, 10) + 1);
  }
  return true;
}

// Files of parts that have no manifest.
void Dataset::RemoveUnfinished() const {
  const std::string own = PartName(0).substr(0, PartName(0).rfind('-') + 1);
  for (size_t i = 0; i < kScanTables; ++i) {
    const std::string folder = FolderOf(TextOf(static_cast<ScanTable>(i)));
    for (const std::string& name : FileNames(folder)) {
      const bool is_part = name.starts_with(own) &&
                           std::strtoll(name.c_str() + own.size(), nullptr, 10) >= next_part_;
      const bool is_half = name.starts_with("_" + own) && name.ends_with(".tmp");
      if (is_part || is_half) unlink((folder + "/" + name).c_str());
    }
  }
}

bool Dataset::Has(const ScanInput& input) const {
  return files_.contains(FileKey(input.path, input.bytes, input.modified.value_or(0)));
}

bool Dataset::HasRefused(const ScanInput& input) const {
  return refused_.contains(FileKey(input.path, input.bytes, input.modified.value_or(0)));
}

bool Dataset::Claim(const DescribedProgram& described) {
  const ScanInput& input = described.input;
  files_.insert(FileKey(input.path, input.bytes, input.modified.value_or(0)));
  return described.program && programs_.insert(*described.program).second;
}

Result<bool> Dataset::Add(const DescribedProgram& described, bool is_first) {
  const ScanInput& input = described.input;
  if (is_first) {
    for (size_t i = 0; i < described.rows.size(); ++i) rows_[i].Append(described.rows[i]);
  }
  AddFileRow(described, is_first, place_.shard, RowsOf(rows_, ScanTable::kFiles));
  JsonWriter line;
  line.BeginArray().String(input.path).Number(input.bytes).Number(input.modified.value_or(0));
  line.String(described.program ? FingerprintText(static_cast<uint64_t>(*described.program)) : "");
  line.EndArray();
  for (const char c : line.view()) {
    if (c != '\n') manifest_ += c;
  }
  manifest_ += '\n';
  size_t bytes = manifest_.size();
  for (const RowTable& table : rows_) bytes += table.bytes();
  if (RowsOf(rows_, ScanTable::kFiles).rows() >= limits_.files ||
      RowsOf(rows_, ScanTable::kInstructions).rows() >= limits_.rows || bytes >= limits_.bytes) {
    return WritePart();
  }
  return true;
}

Result<bool> Dataset::Finish() {
  return RowsOf(rows_, ScanTable::kFiles).rows() == 0 ? Result<bool>(true) : WritePart();
}

Result<bool> Dataset::WritePart() {
  const std::string name = PartName(next_part_);
  // Tables without rows too, so that queries find every table and its columns.
  for (size_t i = 0; i < kScanTables; ++i) {
    const auto table = static_cast<ScanTable>(i);
    ParquetOptions options;
    options.metadata = {{"haloscope.schema", std::to_string(kScanSchema)},
                        {"haloscope.table", std::string(TextOf(table))},
                        {"haloscope.version", std::string(Version())}};
    const std::string bytes = WriteParquet(ColumnsOf(table), rows_[i].columns(), options);
    const Result<bool> written =
        WriteWhole(FolderOf(TextOf(table)) + "/" + name + ".parquet", bytes);
    if (!written) return written;
    bytes_ += static_cast<int64_t>(bytes.size());
    row_counts_[i] += static_cast<int64_t>(rows_[i].rows());
  }
  JsonWriter head;
  head.BeginObject().Field("schema", "halo.manifest.v1").Field("version", Version()).EndObject();
  std::string text;
  for (const char c : head.view()) {
    if (c != '\n') text += c;
  }
  const Result<bool> written =
      WriteWhole(FolderOf(kManifests) + "/" + name + ".json", text + "\n" + manifest_);
  if (!written) return written;
  rows_ = EmptyScanRows();
  manifest_.clear();
  ++next_part_;
  ++parts_;
  return true;
}

#else

Dataset::Dataset(DatasetPlace place, const PartLimits& limits)
    : place_(std::move(place)), limits_(limits), rows_(EmptyScanRows()) {}
Dataset::Dataset(Dataset&& other) noexcept = default;
Dataset::~Dataset() = default;
Result<Dataset> Dataset::Open(const DatasetPlace& place, const PartLimits& /*limits*/) {
  return CannotUse(place.folder, "this build cannot write folders");
}
bool Dataset::Has(const ScanInput& input) const {
  return files_.contains(FileKey(input.path, input.bytes, input.modified.value_or(0)));
}
bool Dataset::HasRefused(const ScanInput& /*input*/) const { return false; }
bool Dataset::Claim(const DescribedProgram& /*described*/) { return false; }
Result<bool> Dataset::Add(const DescribedProgram& /*described*/, bool /*is_first*/) {
  return false;
}
Result<bool> Dataset::Finish() { return false; }

#endif

}  // namespace halo

// A scan on disk: a folder for each table with Parquet files in it, and a manifest of what they
// contain. Rows are collected and written in parts. A part exists once its manifest does, which is
// written last; what a scan that was killed left behind is replaced by the next one. So a scan can
// be repeated at any time and adds only what is missing.
#ifndef HALO_API_SCAN_DATASET_H_
#define HALO_API_SCAN_DATASET_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

#include "halo/api/scan/program_rows.h"
#include "halo/api/scan/scan_tables.h"
#include "halo/base/diagnostics/result.h"

namespace halo {

struct DatasetPlace {
  std::string folder;
  std::string partition;          // "day=2026-11-17"; empty: none
  int64_t shard = 1, shards = 1;  // which of several scans that write at the same time
};

// A part is written when it has this much, or at the end.
struct PartLimits {
  size_t files = 10'000;
  size_t rows = size_t{1} << 19;     // of instructions
  size_t bytes = size_t{192} << 20;  // in memory
};

class Dataset {
 public:
  // Reads what the shard has already, and takes it for this process until the object is destroyed.
  static Result<Dataset> Open(const DatasetPlace& place, const PartLimits& limits);
  ~Dataset();
  Dataset(Dataset&& other) noexcept;
  Dataset& operator=(Dataset&& other) = delete;
  Dataset(const Dataset&) = delete;
  Dataset& operator=(const Dataset&) = delete;

  // Whether the same file, unchanged, is in the dataset.
  [[nodiscard]] bool Has(const ScanInput& input) const;
  // Of such a file: whether it could not be read.
  [[nodiscard]] bool HasRefused(const ScanInput& input) const;
  // Whether the rows of a program are, written by this version.
  [[nodiscard]] bool HasProgram(int64_t program) const { return programs_.contains(program); }

  // Remembers a file and its program. True if the rows of the program belong to this file, because
  // no file had them before.
  bool Claim(const DescribedProgram& described);
  // Adds a file, and the rows of its program if it is the first with them. Neither reads nor
  // changes what the functions above do, so that other threads may call those meanwhile.
  Result<bool> Add(const DescribedProgram& described, bool is_first);
  // Writes what is left.
  Result<bool> Finish();

  [[nodiscard]] int64_t parts() const { return parts_; }  // written by this process
  [[nodiscard]] int64_t bytes() const { return bytes_; }  // of these
  [[nodiscard]] const std::array<int64_t, kScanTables>& rows() const { return row_counts_; }

 private:
  explicit Dataset(DatasetPlace place, const PartLimits& limits);
  [[nodiscard]] Result<bool> Prepare();
  [[nodiscard]] Result<bool> ReadManifests();
  void RemoveUnfinished() const;
  [[nodiscard]] Result<bool> WritePart();
  // "part-003of064-00007"
  [[nodiscard]] std::string PartName(int64_t part) const;
  [[nodiscard]] std::string FolderOf(std::string_view table) const;

  DatasetPlace place_;
  PartLimits limits_;
  int lock_ = -1;
  int64_t next_part_ = 0;
  std::unordered_set<uint64_t> files_;    // digests of paths, sizes and times
  std::unordered_set<uint64_t> refused_;  // of these, files that could not be read
  std::unordered_set<int64_t> programs_;
  ScanRows rows_;
  std::string manifest_;  // of the part that is being collected
  int64_t parts_ = 0, bytes_ = 0;
  std::array<int64_t, kScanTables> row_counts_{};
};

}  // namespace halo

#endif  // HALO_API_SCAN_DATASET_H_

// The rows of one program: its module, memory and times as `halo memory`, `halo time` and `halo
// check` report them, in the tables of a scan.
#ifndef HALO_API_SCAN_PROGRAM_ROWS_H_
#define HALO_API_SCAN_PROGRAM_ROWS_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "halo/api/scan/scan_tables.h"

namespace halo {

// A file that contains a program.
struct ScanInput {
  std::string path;
  std::string module, stage;        // as the file's name says; may be empty
  int64_t bytes = 0;                // as stored
  std::optional<int64_t> modified;  // microseconds since 1970; of the archive that contains it
  std::string refused;              // why there is nothing to read; empty if there may be
};

struct DescribeOptions {
  std::string device;  // to predict times for; empty: inferred
  int64_t shard = 1;
  int threads = 1;  // for reading one file
  // Whether the rows of a program exist already. May be called from any thread; empty: none do.
  std::function<bool(int64_t program)> is_known;
};

struct DescribedProgram {
  ScanInput input;
  std::optional<int64_t> program;  // none if it was refused
  std::string refused;             // why it cannot be read: the first error
  // Of all tables but `files`; empty if the program is known or refused.
  ScanRows rows;
};

DescribedProgram DescribeProgram(ScanInput input, const DescribeOptions& options);

// Adds the row of `files`. `is_first` if the program's own rows are stored with this file.
void AddFileRow(const DescribedProgram& described, bool is_first, int64_t shard, RowTable& files);

}  // namespace halo

#endif  // HALO_API_SCAN_PROGRAM_ROWS_H_

// `halo scan`: the rows of every program in any number of dumps, written as a dataset. Programs are
// read by several threads and stored in the order in which they are listed, so that the dataset
// does not depend on the number of threads.
#ifndef HALO_API_SCAN_SCAN_DUMPS_H_
#define HALO_API_SCAN_SCAN_DUMPS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "halo/api/scan/dataset.h"

namespace halo {

struct ScanRequest {
  // Sets its argument to the next folder, archive or file; false if there are no more.
  std::function<bool(std::string&)> next_root;
  DatasetPlace to;
  PartLimits limits;
  // Take only the files that belong to this shard by their names; false: all that are listed.
  bool divide = true;
  std::string device;
  int threads = 1;
  bool follow = false;
  // Called now and then with the number of files that are done, by the thread that called.
  std::function<void(int64_t files)> progress;
};

struct ScanResult {
  Diagnostics diagnostics;  // why the scan ended early
  bool succeeded = false;
  int64_t files = 0;            // that this scan added
  int64_t programs = 0;         // of these, with rows that the dataset did not have
  int64_t duplicates = 0;       // programs that the dataset had already
  int64_t refused = 0;          // files that cannot be read
  int64_t skipped = 0;          // files that were in the dataset, unchanged
  int64_t skipped_refused = 0;  // of these, files that could not be read
  int64_t elsewhere = 0;        // files of other shards
  int64_t parts = 0, bytes = 0;
  std::array<int64_t, kScanTables> rows{};
  std::vector<std::pair<std::string, std::string>> first_refused;  // paths and reasons
};

ScanResult Scan(const ScanRequest& request);

// Which of `shards` a file belongs to, from 1 on. Copies of a file in several dumps belong to the
// same one, so that they are stored once.
int64_t ScanShardOf(const ScanInput& input, int64_t shards);

}  // namespace halo

#endif  // HALO_API_SCAN_SCAN_DUMPS_H_

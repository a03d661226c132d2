// Writes a flat table as a Parquet file: data pages of version 1, plain or by dictionary,
// compressed with zstd where the build has it. Every reader of Parquet understands these.
#ifndef HALO_PROFILE_PARQUET_PARQUET_WRITER_H_
#define HALO_PROFILE_PARQUET_PARQUET_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "halo/profile/parquet/column_buffer.h"

namespace halo {

struct ParquetOptions {
  // Rows that a reader decodes as one unit.
  size_t group_rows = size_t{1} << 17;
  bool compress = true;
  std::vector<std::pair<std::string, std::string>> metadata = {};  // keys and values for readers
};

// The whole file. There is one buffer for each column, all of the same length; a column that is not
// optional has no holes. Equal tables give equal bytes.
std::string WriteParquet(std::span<const ColumnSpec> columns, std::span<const ColumnBuffer> buffers,
                         const ParquetOptions& options = {});

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_PARQUET_WRITER_H_

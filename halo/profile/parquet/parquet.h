// Reads columns of a Parquet file: flat tables of integers, floating point numbers and texts, as
// pandas writes them (data pages of version 1, plain or by dictionary, uncompressed or Snappy).
#ifndef HALO_PROFILE_PARQUET_PARQUET_H_
#define HALO_PROFILE_PARQUET_PARQUET_H_

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

bool LooksLikeParquet(std::string_view bytes);

struct ParquetColumn {
  std::vector<std::string_view> texts;  // of a column of texts
  std::vector<int64_t> numbers;         // of any other; fractions are dropped, holes are 0
  [[nodiscard]] std::string_view Text(size_t row) const {
    return row < texts.size() ? texts[row] : std::string_view();
  }
  [[nodiscard]] int64_t Number(size_t row, int64_t fallback) const {
    return row < numbers.size() ? numbers[row] : fallback;
  }
};

struct ParquetTable {
  std::string problem;  // why it could not be read; empty if it could
  size_t rows = 0;
  std::vector<ParquetColumn> columns;  // one per wanted name; empty if the file has none
  std::deque<std::string> pages;       // that texts point into, besides the bytes of the file
};

// The bytes must outlive the table.
ParquetTable ReadParquet(std::string_view bytes, std::span<const std::string_view> wanted);

}  // namespace halo

#endif  // HALO_PROFILE_PARQUET_PARQUET_H_

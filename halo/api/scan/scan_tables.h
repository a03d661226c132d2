// The tables that `halo scan` writes and the rows that go into them. A program is a number, the key
// of every table: equal programs have equal numbers within one version of Haloscope.
#ifndef HALO_API_SCAN_SCAN_TABLES_H_
#define HALO_API_SCAN_SCAN_TABLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "halo/profile/parquet/column_buffer.h"

namespace halo {

// Of names and types of columns. Columns may be added at the end of a table without a new one.
inline constexpr int kScanSchema = 2;

enum class ScanTable : uint8_t {
  kFiles,  // one row for each file that was scanned; all other tables have each program once
  kModules,
  kInstructions,
  kCollectives,
  kBuffers,  // in memory at the peak
  kTimes,
  kFindings,
};
inline constexpr size_t kScanTables = 7;

std::string_view TextOf(ScanTable table);
std::optional<ScanTable> ScanTableFromText(std::string_view text);
std::span<const ColumnSpec> ColumnsOf(ScanTable table);

// Rows are added value by value, in the order of the columns.
class RowTable {
 public:
  explicit RowTable(ScanTable table);

  RowTable& Int(int64_t value);
  RowTable& Real(double value);
  RowTable& Bool(bool value);
  RowTable& Text(std::string_view value);
  RowTable& Hole();
  // A hole if there is no value.
  RowTable& Int(std::optional<int64_t> value);
  RowTable& Real(std::optional<double> value);

  [[nodiscard]] size_t rows() const { return columns_.front().rows(); }
  [[nodiscard]] size_t bytes() const;
  [[nodiscard]] std::span<const ColumnBuffer> columns() const { return columns_; }
  void Append(const RowTable& other);

 private:
  ColumnBuffer& Take(ColumnType type);

  std::vector<ColumnBuffer> columns_;
  size_t at_ = 0;
};

using ScanRows = std::vector<RowTable>;  // by ScanTable
ScanRows EmptyScanRows();
inline RowTable& RowsOf(ScanRows& rows, ScanTable table) {
  return rows[static_cast<size_t>(table)];
}
inline const RowTable& RowsOf(const ScanRows& rows, ScanTable table) {
  return rows[static_cast<size_t>(table)];
}

}  // namespace halo

#endif  // HALO_API_SCAN_SCAN_TABLES_H_

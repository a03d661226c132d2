// Columns come from the descriptions of the rows.
#include "halo/api/scan/scan_tables.h"

#include <algorithm>
#include <iterator>

#include "halo/api/scan/described_rows.h"
#include "halo/api/scan/scan_rows.h"
#include "halo/base/check.h"
#include "haloscope/memory.h"

namespace halo {
namespace {

// A file is no result; the rows of all other tables are described (scan_rows.h).
constexpr ColumnSpec kFileColumns[] = {
    {"path", ColumnType::kText, false},     {"shard", ColumnType::kInt, false},
    {"module", ColumnType::kText, false},   {"stage", ColumnType::kText, false},
    {"bytes", ColumnType::kInt, false},     {"modified", ColumnType::kTime, true},
    {"halo", ColumnType::kText, false},     {"program", ColumnType::kInt, true},
    {"is_first", ColumnType::kBool, false}, {"refused", ColumnType::kText, true}};
constexpr ColumnSpec kKeyColumns[] = {{"program", ColumnType::kInt, false},
                                      {"shard", ColumnType::kInt, false}};

template <describe::Described T>
std::vector<ColumnSpec> ColumnsWithKey() {
  std::vector<ColumnSpec> all(std::begin(kKeyColumns), std::end(kKeyColumns));
  const std::vector<ColumnSpec> own = ColumnsOfResult<T>();
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

constexpr std::array<std::string_view, kScanTables> kTableNames = {
    "files", "modules", "instructions", "collectives", "buffers", "times", "findings"};

}  // namespace

std::string_view TextOf(ScanTable table) { return kTableNames[static_cast<size_t>(table)]; }

std::optional<ScanTable> ScanTableFromText(std::string_view text) {
  const auto* found = std::find(kTableNames.begin(), kTableNames.end(), text);
  if (found == kTableNames.end()) return std::nullopt;
  return static_cast<ScanTable>(found - kTableNames.begin());
}

std::span<const ColumnSpec> ColumnsOf(ScanTable table) {
  static const std::array<std::vector<ColumnSpec>, kScanTables> kColumns = {
      std::vector<ColumnSpec>(std::begin(kFileColumns), std::end(kFileColumns)),
      ColumnsWithKey<documents::ModuleRow>(),
      ColumnsWithKey<documents::InstructionRow>(),
      ColumnsWithKey<documents::CollectiveRow>(),
      ColumnsWithKey<v0::LiveValue>(),
      ColumnsWithKey<documents::TimeRow>(),
      ColumnsWithKey<documents::FindingRow>()};
  return kColumns[static_cast<size_t>(table)];
}

RowTable::RowTable(ScanTable table) {
  for (const ColumnSpec& column : ColumnsOf(table)) columns_.emplace_back(column.type);
}

ColumnBuffer& RowTable::Take(ColumnType type) {
  ColumnBuffer& column = columns_[at_];
  at_ = (at_ + 1) % columns_.size();
  HALO_CHECK(column.type() == type ||
             (column.type() == ColumnType::kTime && type == ColumnType::kInt));
  return column;
}

RowTable& RowTable::Int(int64_t value) {
  Take(ColumnType::kInt).AddInt(value);
  return *this;
}

RowTable& RowTable::Real(double value) {
  Take(ColumnType::kReal).AddReal(value);
  return *this;
}

RowTable& RowTable::Bool(bool value) {
  Take(ColumnType::kBool).AddBool(value);
  return *this;
}

RowTable& RowTable::Text(std::string_view value) {
  Take(ColumnType::kText).AddText(value);
  return *this;
}

RowTable& RowTable::Hole() {
  Take(columns_[at_].type()).AddHole();
  return *this;
}

RowTable& RowTable::Int(std::optional<int64_t> value) { return value ? Int(*value) : Hole(); }

RowTable& RowTable::Real(std::optional<double> value) { return value ? Real(*value) : Hole(); }

size_t RowTable::bytes() const {
  size_t total = 0;
  for (const ColumnBuffer& column : columns_) total += column.bytes();
  return total;
}

void RowTable::Append(const RowTable& other) {
  for (size_t i = 0; i < columns_.size(); ++i) columns_[i].Append(other.columns_[i]);
}

ScanRows EmptyScanRows() {
  ScanRows rows;
  for (size_t i = 0; i < kScanTables; ++i) rows.emplace_back(static_cast<ScanTable>(i));
  return rows;
}

}  // namespace halo

// scan_tables.def is the only list of columns.
#include "halo/api/scan/scan_tables.h"

#include <algorithm>

#include "halo/base/check.h"

namespace halo {
namespace {

struct ListedColumn {
  ScanTable table;
  ColumnSpec column;
};

constexpr ListedColumn kListed[] = {
#define HALO_SCAN_COLUMN(table, name, type, is_optional) \
  {ScanTable::k##table, {name, ColumnType::k##type, is_optional}},
#include "halo/api/scan/scan_tables.def"
};

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
  static const auto kColumns = [] {
    std::array<std::vector<ColumnSpec>, kScanTables> all;
    for (const ListedColumn& each : kListed) {
      all[static_cast<size_t>(each.table)].push_back(each.column);
    }
    return all;
  }();
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

RowTable& RowTable::TextId(uint32_t id) {
  Take(ColumnType::kText).AddTextId(id);
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

// Tables of any part of a program: columns by name, rows by number; sorted, filtered and restricted
// to a window. table_rows.cc defines which tables exist.
#ifndef HALO_VIEW_ASK_TABLE_H_
#define HALO_VIEW_ASK_TABLE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/view/model/view.h"

namespace halo::view {

enum class ColumnKind : uint8_t { kText, kNumber, kBytes, kInst, kComp, kValue };
std::string_view ColumnKindText(ColumnKind kind);

struct Column {
  std::string_view name;
  ColumnKind kind = ColumnKind::kText;
  // Exactly one of the two is set; `row` is an element of Table::rows. The text may be stored in
  // `scratch`. Numbers are whole, so that tables can be exported with integer columns.
  std::function<double(uint32_t row)> number = {};
  std::function<std::string_view(uint32_t row, std::string& scratch)> text = {};
};

struct Table {
  std::vector<Column> columns;
  std::vector<uint32_t> rows;  // in program order
  bool rows_are_insts = false;
};

// Returns false, and sets `why`, if there is no such table.
bool MakeTable(std::string_view of, View& view, ModuleView* module, const JsonValue& request,
               Table& table, std::string& why);

// Keeps the rows that contain every word in some text.
void FilterRows(std::string_view words, ModuleView* module, Table& table);
// Stable sort by a column; numbers within names compare as numbers.
void SortRows(const Column& column, bool descending, std::vector<uint32_t>& rows);

}  // namespace halo::view

#endif  // HALO_VIEW_ASK_TABLE_H_

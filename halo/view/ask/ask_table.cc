// `table`: a window of a table's rows.
#include <algorithm>

#include "halo/view/ask/table.h"
#include "halo/view/model/view_request.h"

namespace halo::view {
namespace {

const Column* FindColumn(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& each) { return each.name == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

// Removes the rows whose storage is in the list. Returns how many they are.
size_t HideRows(const JsonValue& kinds, Table& table) {
  const Column* storage = FindColumn(table, "storage");
  if (storage == nullptr || kinds.items.empty()) return 0;
  std::string scratch;
  return std::erase_if(table.rows, [&](uint32_t row) {
    const std::string_view of = storage->text(row, scratch);
    return std::any_of(kinds.items.begin(), kinds.items.end(),
                       [&](const JsonValue& each) { return each.AsString() == of; });
  });
}

}  // namespace

void AskTable(ViewRequest& request) {
  Table table;
  std::string why;
  const std::string_view of = request.Text("of", "instructions");
  if (!MakeTable(of, request.view, request.module, request.parameters, table, why)) {
    request.response.Fail(why);
    return;
  }
  const size_t all = table.rows.size();
  FilterRows(request.Text("filter"), request.module, table);
  const size_t hidden = HideRows(request.parameters["hide"], table);
  if (const std::string_view by = request.Text("sort"); !by.empty()) {
    const Column* column = FindColumn(table, by);
    if (column == nullptr) {
      request.response.Fail("no column `" + Shortened(by, 40) + "` to sort by");
      return;
    }
    SortRows(*column, request.parameters["descending"].AsBool(false), table.rows);
  }
  const auto total = static_cast<int64_t>(table.rows.size());
  const int64_t from = request.Int("from", 0, 0, total);
  const int64_t count = std::min(request.Int("count", 100, 0, 100'000), total - from);
  const std::span<const uint32_t> shown =
      std::span(table.rows).subspan(static_cast<size_t>(from), static_cast<size_t>(count));
  JsonWriter& json = request.json();
  json.Field("of", of).Field("all", all).Field("total", total).Field("from", from);
  json.Field("hidden", hidden);
  json.Key("columns").BeginArray();
  for (const Column& column : table.columns) {
    json.BeginObject().Field("name", column.name).Field("kind", ColumnKindText(column.kind));
    if (column.number) {
      std::vector<double> numbers;
      for (const uint32_t row : shown) numbers.push_back(column.number(row));
      request.response.Array("values", numbers);
    } else {
      StringColumn texts;
      std::string scratch;
      for (const uint32_t row : shown) texts.Add(column.text(row, scratch));
      request.response.Strings("values", texts);
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace halo::view

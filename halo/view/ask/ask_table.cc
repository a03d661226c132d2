// `table`: a window of a table's rows.
#include <algorithm>

#include "halo/view/ask/table.h"
#include "halo/view/model/question.h"

namespace halo::view {
namespace {

const Column* FindColumn(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const Column& each) { return each.name == name; });
  return found == table.columns.end() ? nullptr : &*found;
}

}  // namespace

void AskTable(Question& question) {
  Table table;
  std::string why;
  const std::string_view of = question.Text("of", "instructions");
  if (!MakeTable(of, question.view, question.module, question.request, table, why)) {
    question.answer.Fail(why);
    return;
  }
  const size_t all = table.rows.size();
  FilterRows(question.Text("filter"), question.module, table);
  if (const std::string_view by = question.Text("sort"); !by.empty()) {
    const Column* column = FindColumn(table, by);
    if (column == nullptr) {
      question.answer.Fail("no column `" + Shortened(by, 40) + "` to sort by");
      return;
    }
    SortRows(*column, question.request["descending"].AsBool(false), table.rows);
  }
  const auto total = static_cast<int64_t>(table.rows.size());
  const int64_t from = question.Int("from", 0, 0, total);
  const int64_t count = std::min(question.Int("count", 100, 0, 100'000), total - from);
  const std::span<const uint32_t> shown =
      std::span(table.rows).subspan(static_cast<size_t>(from), static_cast<size_t>(count));
  JsonWriter& json = question.json();
  json.Field("of", of).Field("all", all).Field("total", total).Field("from", from);
  json.Key("columns").BeginArray();
  for (const Column& column : table.columns) {
    json.BeginObject().Field("name", column.name).Field("kind", ColumnKindText(column.kind));
    if (column.number) {
      std::vector<double> numbers;
      for (const uint32_t row : shown) numbers.push_back(column.number(row));
      question.answer.Array("values", numbers);
    } else {
      StringColumn texts;
      std::string scratch;
      for (const uint32_t row : shown) texts.Add(column.text(row, scratch));
      question.answer.Strings("values", texts);
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace halo::view

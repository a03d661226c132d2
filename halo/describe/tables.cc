// An object inside a document is listed after the field that holds it.
#include "halo/describe/tables.h"

#include <set>
#include <string_view>

namespace halo::describe {
namespace {

std::string_view KindText(TypeModel::Kind kind) {
  switch (kind) {
    case TypeModel::Kind::kText: return "string";
    case TypeModel::Kind::kInteger: return "int";
    case TypeModel::Kind::kReal: return "number";
    case TypeModel::Kind::kBool: return "bool";
    case TypeModel::Kind::kObject:
    case TypeModel::Kind::kList:
    case TypeModel::Kind::kKeyed: return "object";
  }
  return "";
}

std::string MeaningOf(const FieldModel& field) {
  std::string meaning = field.meaning;
  if (!field.when.empty()) meaning += (meaning.empty() ? "" : "; ") + field.when;
  const std::string_view unit = UnitText(field.unit);
  const bool named = unit.empty() || field.name.find(unit) != std::string::npos ||
                     meaning.find(unit) != std::string::npos;
  if (!named) meaning += (meaning.empty() ? "in " : "; in ") + std::string(unit);
  return meaning;
}

void AddRows(const TypeModel& type, const std::string& before, std::vector<FieldRow>& rows) {
  for (const FieldModel& field : type.fields) {
    std::string path = before + field.name;
    const TypeModel* inner = &field.type;
    while (inner->kind == TypeModel::Kind::kList || inner->kind == TypeModel::Kind::kKeyed) {
      path += inner->kind == TypeModel::Kind::kList ? "[]" : "{}";
      inner = &inner->element.front();
    }
    std::string text(KindText(inner->kind));
    if (field.may_be_text) text += " or string";
    if (field.may_be_null) text += " or null";
    if (field.may_be_absent) text += "?";
    rows.push_back({path, text, MeaningOf(field)});
    if (inner->kind == TypeModel::Kind::kObject) AddRows(*inner, path + ".", rows);
  }
}

}  // namespace

std::vector<FieldRow> FieldRows(const TypeModel& type) {
  std::vector<FieldRow> rows;
  AddRows(type, "", rows);
  return rows;
}

std::string MarkdownTable(const TypeModel& type, const TypeModel& common) {
  std::set<std::string> known;
  for (const FieldRow& row : FieldRows(common)) known.insert(row.path);
  std::string out = "| field | type | meaning |\n|---|---|---|\n";
  for (const FieldRow& row : FieldRows(type)) {
    if (known.contains(row.path)) continue;
    out += "| `" + row.path + "` | " + row.type + " | " + row.meaning + " |\n";
  }
  return out;
}

}  // namespace halo::describe

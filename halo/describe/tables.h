// Descriptions for people: the tables of docs/json.md, and of `halo describe`.
#ifndef HALO_DESCRIBE_TABLES_H_
#define HALO_DESCRIBE_TABLES_H_

#include <string>
#include <vector>

#include "halo/describe/type_model.h"

namespace halo::describe {

// One field, with its path from the document: `largest[].bytes`.
struct FieldRow {
  std::string path, type, meaning;
};
// `[]` means each element of a list and `{}` each value of an object with varying keys. A type that
// ends in `?` marks a field that may be absent.
std::vector<FieldRow> FieldRows(const TypeModel& type);

// The same as a Markdown table, without the rows of `common`, which another table has.
std::string MarkdownTable(const TypeModel& type, const TypeModel& common);

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_TABLES_H_

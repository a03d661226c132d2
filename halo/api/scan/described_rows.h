// Columns and rows of a scan from the descriptions of results: the members that are single values.
#ifndef HALO_API_SCAN_DESCRIBED_ROWS_H_
#define HALO_API_SCAN_DESCRIBED_ROWS_H_

#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halo/api/scan/scan_tables.h"
#include "halo/describe/traits.h"

namespace halo {

template <class T>
constexpr ColumnType ColumnTypeOf() {
  if constexpr (std::same_as<T, bool>) {
    return ColumnType::kBool;
  } else if constexpr (std::floating_point<T>) {
    return ColumnType::kReal;
  } else if constexpr (std::integral<T>) {
    return ColumnType::kInt;
  } else {
    return ColumnType::kText;
  }
}

template <class T>
inline constexpr bool kIsColumn = std::is_arithmetic_v<T> || describe::IsText<T>;
template <class T>
inline constexpr bool kIsColumn<std::optional<T>> = kIsColumn<T>;

class ColumnFields : public v0::FieldVisitor<ColumnFields> {
 public:
  template <class T>
  void Field(const v0::FieldInfo& info, T& /*value*/) {
    if constexpr (!kIsColumn<T>) {
      return;
    } else if constexpr (describe::kIsOptional<T>) {
      columns.push_back({info.name, ColumnTypeOf<typename T::value_type>(), true});
    } else {
      columns.push_back({info.name, ColumnTypeOf<T>(), false});
    }
  }
  std::vector<ColumnSpec> columns;
};

template <describe::Described T>
std::vector<ColumnSpec> ColumnsOfResult() {
  T example;
  ColumnFields fields;
  Fields(fields, example);
  return fields.columns;
}

class RowFields : public v0::FieldVisitor<RowFields> {
 public:
  explicit RowFields(RowTable& table) : table_(table) {}

  template <class T>
  void Field(const v0::FieldInfo& info, T& value) {
    if constexpr (!kIsColumn<T>) {
      return;
    } else if constexpr (describe::kIsOptional<T>) {
      value ? Field(info, *value) : static_cast<void>(table_.Hole());
    } else if constexpr (std::same_as<std::remove_const_t<T>, bool>) {
      table_.Bool(value);
    } else if constexpr (std::floating_point<T>) {
      table_.Real(value);
    } else if constexpr (std::integral<T>) {
      table_.Int(static_cast<int64_t>(value));
    } else {
      table_.Text(value);
    }
  }

 private:
  RowTable& table_;
};

// Adds the values of one result to a row that has been begun.
template <describe::Described T>
void AddResult(const T& result, RowTable& table) {
  RowFields fields(table);
  Fields(fields, describe::Readable(result));
}

}  // namespace halo

#endif  // HALO_API_SCAN_DESCRIBED_ROWS_H_

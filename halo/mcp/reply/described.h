// What tools take and give, from the descriptions of requests and results: arguments, figures,
// columns and rows. A reply is small, so fields with the flag kDetail and lists are left out, and a
// member of a result that is an object becomes figures with its name in front: `peak_bytes`.
#ifndef HALO_MCP_REPLY_DESCRIBED_H_
#define HALO_MCP_REPLY_DESCRIBED_H_

#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/api/describe/choice_lists.h"
#include "halo/describe/read_json.h"
#include "halo/describe/traits.h"
#include "halo/mcp/reply/tool.h"

namespace halo::mcp {

template <class T>
inline constexpr bool kIsScalar =
    describe::HasTexts<T> || describe::IsText<T> || std::is_arithmetic_v<T>;

template <class T>
constexpr FieldType FieldTypeOf() {
  if constexpr (describe::kIsOptional<T>) {
    return FieldTypeOf<typename T::value_type>();
  } else if constexpr (describe::kIsList<T> && !describe::kIsKeyed<T>) {
    return std::is_arithmetic_v<typename T::value_type> ? FieldType::kIntegers : FieldType::kTexts;
  } else if constexpr (std::same_as<T, bool>) {
    return FieldType::kBool;
  } else if constexpr (std::floating_point<T>) {
    return FieldType::kNumber;
  } else if constexpr (std::integral<T>) {
    return FieldType::kInteger;
  } else {
    return FieldType::kText;
  }
}

// The members of a request as arguments of a tool.
class ArgumentFields : public v0::FieldVisitor<ArgumentFields> {
 public:
  template <class T>
  void Field(const v0::FieldInfo& info, T& /*value*/) {
    mcp::Field field{.name = info.name, .type = FieldTypeOf<T>(), .what = info.meaning};
    // Sizes may be written as 80GiB.
    if (info.unit == v0::Unit::kBytes) field.type = FieldType::kText;
    if (field.type == FieldType::kText) field.choices = ChoicesNamed(info.choices);
    fields.push_back(std::move(field));
  }
  std::vector<mcp::Field> fields;
};

// The arguments of a request but for those that the tool decides itself.
template <describe::Described T>
std::vector<Field> ArgumentsOf(std::initializer_list<std::string_view> left_out = {}) {
  T example;
  ArgumentFields arguments;
  Fields(arguments, example);
  std::erase_if(arguments.fields, [&](const Field& each) {
    return std::find(left_out.begin(), left_out.end(), each.name) != left_out.end();
  });
  return arguments.fields;
}

// Adds the members of a result to an object, and lists their types.
class FigureFields : public v0::FieldVisitor<FigureFields> {
 public:
  FigureFields(JsonValue* into, std::vector<Field>* list, std::string before)
      : into_(into), list_(list), before_(std::move(before)) {}

  template <class T>
  void Field(const v0::FieldInfo& info, T& value) {
    if (info.has(v0::FieldFlag::kDetail)) return;
    if constexpr (describe::kIsOptional<T>) {
      typename T::value_type example{};
      if (list_ != nullptr) return Field(info, example);
      if (value) Field(info, *value);
    } else if constexpr (describe::Described<T>) {
      // One level: a figure is not a document.
      if (!before_.empty()) return;
      FigureFields inner(into_, list_, std::string(info.name) + "_");
      Fields(inner, value);
    } else if constexpr (kIsScalar<T>) {
      if (list_ != nullptr) {
        list_->push_back({.name = Kept(info.name), .type = FieldTypeOf<T>(), .what = info.meaning});
      } else {
        PutScalar(info, value);
      }
    }
  }

 private:
  template <class T>
  void PutScalar(const v0::FieldInfo& info, const T& value) {
    if (info.has(v0::FieldFlag::kIfAny) && !describe::HasAny(value)) return;
    const std::string name = before_ + std::string(info.name);
    if (!(*into_)[name].is_null()) return;  // the tool has said it in another way
    if constexpr (describe::HasTexts<T>) {
      Put(*into_, name, EnumTexts(value)[static_cast<size_t>(value)]);
    } else if constexpr (describe::IsText<T>) {
      PutIfAny(*into_, name, std::string_view(value));
    } else if constexpr (std::floating_point<T>) {
      Put(*into_, name, static_cast<double>(value));
    } else if constexpr (std::same_as<T, bool>) {
      Put(*into_, name, value);
    } else if (std::cmp_not_equal(value, -1)) {  // which means that there is none
      Put(*into_, name, value);
    }
  }

  // A name that lives as long as the table of tools: as it is in the description, or composed.
  [[nodiscard]] std::string_view Kept(std::string_view name) const;

  JsonValue* into_;
  std::vector<mcp::Field>* list_;
  std::string before_;
};

// The figures or columns that a result becomes.
template <describe::Described T>
std::vector<Field> FiguresOf() {
  std::vector<Field> list;
  T example;
  FigureFields figures(nullptr, &list, "");
  Fields(figures, example);
  return list;
}

template <describe::Described T>
void PutFigures(const T& result, JsonValue& into) {
  FigureFields figures(&into, nullptr, "");
  Fields(figures, describe::Readable(result));
}

template <describe::Described T>
JsonValue RowOf(const T& result) {
  JsonValue row = MakeObject();
  PutFigures(result, row);
  return row;
}

// All lists after one another; of fields with the same name, the first.
std::vector<Field> JoinFields(std::initializer_list<std::vector<Field>> lists);

}  // namespace halo::mcp

#endif  // HALO_MCP_REPLY_DESCRIBED_H_

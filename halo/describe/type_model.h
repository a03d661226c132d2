// A description as a value: what a generator of schemas, documents or types of other languages
// reads. Made from `Fields` without any result.
#ifndef HALO_DESCRIBE_TYPE_MODEL_H_
#define HALO_DESCRIBE_TYPE_MODEL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halo/describe/traits.h"

namespace halo::describe {

struct FieldModel;

struct TypeModel {
  enum class Kind : uint8_t { kText, kInteger, kReal, kBool, kObject, kList, kKeyed };

  Kind kind = Kind::kText;
  std::string name;                // of an object's struct
  std::vector<FieldModel> fields;  // of an object
  std::vector<TypeModel> element;  // one: of a list's elements, or of an object's varying values
};

struct FieldModel {
  std::string name, meaning, when, choices, group;
  v0::Unit unit = v0::Unit::kNone;
  double least = 0, most = 0;
  bool may_be_absent = false;
  bool may_be_null = false;
  bool may_be_text = false;  // a number that is not finite
  bool is_detail = false;
  std::vector<std::string> flags;  // on the command line
  TypeModel type;
};

template <class T>
TypeModel ModelOf();

class ModelFields : public v0::FieldVisitor<ModelFields> {
 public:
  explicit ModelFields(TypeModel& into) : into_(into) {}

  void Group(std::string_view name) { group_ = name; }

  template <class T>
  void Field(const v0::FieldInfo& info, T& /*value*/) {
    FieldModel field;
    field.name = info.name;
    field.meaning = info.meaning;
    field.when = info.when;
    field.choices = info.choices;
    field.group = group_;
    field.unit = info.unit;
    field.least = info.least;
    field.most = info.most;
    const bool is_always_there = info.has(v0::FieldFlag::kNullIfUnknown);
    field.may_be_null = is_always_there || kIsOptionalNull<T>;
    field.may_be_absent = !is_always_there && (kIsOptional<T> || info.has(v0::FieldFlag::kIfAny));
    field.may_be_text = info.has(v0::FieldFlag::kNotFinite);
    field.is_detail = info.has(v0::FieldFlag::kDetail);
    for (const v0::FlagWord& word : info.flags) field.flags.emplace_back(word.flag);
    field.type = ModelOf<T>();
    into_.fields.push_back(std::move(field));
  }

 private:
  TypeModel& into_;
  std::string group_;
};

template <class T>
TypeModel ModelOf() {
  TypeModel model;
  if constexpr (kIsOptional<T>) {
    return ModelOf<typename T::value_type>();
  } else if constexpr (Described<T>) {
    model.kind = TypeModel::Kind::kObject;
    model.name = TypeName<T>();
    T example;
    ModelFields fields(model);
    Fields(fields, example);
  } else if constexpr (kIsKeyed<T>) {
    model.kind = TypeModel::Kind::kKeyed;
    model.element.push_back(ModelOf<typename T::value_type::second_type>());
  } else if constexpr (kIsList<T>) {
    model.kind = TypeModel::Kind::kList;
    model.element.push_back(ModelOf<typename T::value_type>());
  } else if constexpr (HasTexts<T> || IsText<T>) {
    model.kind = TypeModel::Kind::kText;
  } else if constexpr (std::is_same_v<T, bool>) {
    model.kind = TypeModel::Kind::kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    model.kind = TypeModel::Kind::kReal;
  } else {
    static_assert(std::is_integral_v<T>, "a description lists members of known kinds only");
    model.kind = TypeModel::Kind::kInteger;
  }
  return model;
}

// A document or a request that the command has, by the name users know it by.
struct DocumentModel {
  std::string schema;   // "halo.memory.v2"; of a request, "memory"
  std::string made_by;  // the command that prints it
  TypeModel type;
};

// "bytes", "seconds", ...; empty for none.
std::string_view UnitText(v0::Unit unit);

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_TYPE_MODEL_H_

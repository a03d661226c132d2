// Writes described structs as JSON.
#ifndef HALO_DESCRIBE_WRITE_JSON_H_
#define HALO_DESCRIBE_WRITE_JSON_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/json/json_writer.h"
#include "halo/describe/traits.h"

namespace halo::describe {

// The members of one struct, as members of an object that the caller opens and closes. Lists with
// the flag kTop are cut to `top` elements.
class JsonFields : public v0::FieldVisitor<JsonFields> {
 public:
  JsonFields(JsonWriter& json, size_t top) : json_(json), top_(top) {}

  template <class T>
  void Field(const v0::FieldInfo& field, T& value) {
    if (field.has(v0::FieldFlag::kIfAny) && !HasAny(value)) return;
    if constexpr (kIsOptional<T>) {
      if (value) {
        json_.Key(field.name);
        Value(field, *value);
      } else if (field.has(v0::FieldFlag::kNullIfUnknown)) {
        json_.Key(field.name).Null();
      }
    } else {
      json_.Key(field.name);
      Value(field, value);
    }
  }

 private:
  template <class T>
  void Value(const v0::FieldInfo& field, T& value) {
    if constexpr (kIsOptional<T>) {
      if (value) {
        Value(field, *value);
      } else {
        json_.Null();
      }
    } else if constexpr (Described<T>) {
      json_.BeginObject();
      JsonFields inner(json_, top_);
      Fields(inner, value);
      json_.EndObject();
    } else if constexpr (kIsKeyed<T>) {
      json_.BeginObject();
      for (auto& [key, each] : value) {
        json_.Key(key);
        Value(field, each);
      }
      json_.EndObject();
    } else if constexpr (kIsList<T>) {
      const size_t count =
          field.has(v0::FieldFlag::kTop) ? std::min(top_, value.size()) : value.size();
      json_.BeginArray();
      for (size_t i = 0; i < count; ++i) Value(field, Readable(value[i]));
      json_.EndArray();
    } else if constexpr (HasTexts<T>) {
      json_.String(EnumTexts(value)[static_cast<size_t>(value)]);
    } else if constexpr (IsText<T>) {
      json_.String(std::string_view(value));
    } else if constexpr (std::is_same_v<std::remove_const_t<T>, bool>) {
      json_.Bool(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      Real(field, value);
    } else {
      json_.Number(value);
    }
  }

  // JSON has no infinities, so they are texts, like NaN.
  void Real(const v0::FieldInfo& field, double value) {
    if (std::isfinite(value) || !field.has(v0::FieldFlag::kNotFinite)) {
      json_.Double(value);
    } else {
      json_.String(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    }
  }

  JsonWriter& json_;
  size_t top_;
};

// Adds the members of a struct to an object that the caller opens and closes.
template <Described T>
void WriteFields(const T& value, JsonWriter& json, size_t top = SIZE_MAX) {
  JsonFields fields(json, top);
  Fields(fields, Readable(value));
}

template <Described T>
void WriteObject(const T& value, JsonWriter& json, size_t top = SIZE_MAX) {
  json.BeginObject();
  WriteFields(value, json, top);
  json.EndObject();
}

// Opens a document with its schema and the version of this library.
void BeginDocument(std::string_view schema, JsonWriter& json);

// Opens the object of a document that has other members beside those described.
template <IsDocument T>
void BeginDocument(JsonWriter& json) {
  BeginDocument(T::kSchema, json);
}

// A whole document: its schema, the version that made it, and its members.
template <IsDocument T>
std::string DocumentJson(const T& document, size_t top = SIZE_MAX) {
  JsonWriter json;
  BeginDocument<T>(json);
  WriteFields(document, json, top);
  json.EndObject();
  return std::string(json.view());
}

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_WRITE_JSON_H_

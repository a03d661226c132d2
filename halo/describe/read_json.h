// Fills described structs from JSON: a request that a program sent, or a document that the command
// wrote. Members that the JSON lacks keep their values. What is wrong with a request is one
// sentence that names the member.
#ifndef HALO_DESCRIBE_READ_JSON_H_
#define HALO_DESCRIBE_READ_JSON_H_

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "halo/base/json/json_reader.h"
#include "halo/base/strings/byte_size.h"
#include "halo/base/strings/name_list.h"
#include "halo/describe/traits.h"

namespace halo::describe {

// Says which member of an object is in neither list; empty if none is.
std::string UnknownMember(const JsonValue& object, std::span<const std::string_view> known,
                          std::span<const std::string_view> others);

class ReadFields : public v0::FieldVisitor<ReadFields> {
 public:
  explicit ReadFields(const JsonValue& from) : from_(from) {}

  template <class T>
  void Field(const v0::FieldInfo& field, T& value) {
    names_.emplace_back(field.name);
    const JsonValue& given = from_[field.name];
    if (given.is_null() || !problem_.empty()) return;
    if constexpr (kIsOptional<T>) {
      typename T::value_type inner{};
      if (Take(field, given, inner)) value = std::move(inner);
    } else {
      Take(field, given, value);
    }
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::span<const std::string_view> names() const { return names_; }

 private:
  template <class T>
  bool Take(const v0::FieldInfo& field, const JsonValue& given, T& value) {
    if constexpr (kIsOptional<T>) {
      return Take(field, given, value.emplace());
    } else if constexpr (Described<T>) {
      if (!given.is_object()) return Refuse(field, "an object");
      ReadFields inner(given);
      Fields(inner, value);
      if (inner.problem().empty()) return true;
      problem_ = "`" + std::string(field.name) + "`: " + inner.problem();
      return false;
    } else if constexpr (kIsKeyed<T>) {
      if (!given.is_object()) return Refuse(field, "an object");
      for (size_t i = 0; i < given.keys.size(); ++i) {
        auto& [key, each] = value.emplace_back();
        key = given.keys[i];
        if (!Take(field, given.items[i], each)) return false;
      }
      return true;
    } else if constexpr (kIsList<T>) {
      return TakeList(field, given, value);
    } else {
      return TakeOne(field, given, value);
    }
  }

  template <class T>
  bool TakeList(const v0::FieldInfo& field, const JsonValue& given, T& value) {
    using Element = typename T::value_type;
    if constexpr (std::is_same_v<Element, std::string>) {
      // As on the command line, names may be separated by commas.
      if (given.kind == JsonValue::Kind::kString) {
        value = SplitNames(given.text);
        return true;
      }
    }
    if (given.kind != JsonValue::Kind::kArray) return Refuse(field, "a list");
    for (const JsonValue& each : given.items) {
      Element inner{};
      if (!Take(field, each, inner)) return false;
      value.push_back(std::move(inner));
    }
    return true;
  }

  template <class T>
  bool TakeOne(const v0::FieldInfo& field, const JsonValue& given, T& value) {
    if constexpr (HasTexts<T>) {
      const auto texts = EnumTexts(value);
      for (size_t i = 0; i < texts.size(); ++i) {
        if (texts[i] != given.AsString()) continue;
        value = static_cast<T>(i);
        return true;
      }
      return Refuse(field, "one of its texts");
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (given.kind != JsonValue::Kind::kString) return Refuse(field, "a text");
      value = given.text;
    } else if constexpr (std::is_same_v<T, bool>) {
      if (given.kind != JsonValue::Kind::kBool) return Refuse(field, "true or false");
      value = given.truth;
    } else if constexpr (std::is_floating_point_v<T>) {
      // from_chars reads the texts of numbers that are not finite as well.
      const auto number = ParseDouble(given.text);
      if (!number || (given.kind == JsonValue::Kind::kString && std::isfinite(*number))) {
        return Refuse(field, "a number");
      }
      value = *number;
    } else {
      if (field.unit == v0::Unit::kBytes && given.kind == JsonValue::Kind::kString) {
        const auto bytes = BytesFromText(given.text);
        if (!bytes) return Refuse(field, "a size such as 80GiB, 16GB or 4096");
        value = static_cast<T>(*bytes);
        return true;
      }
      const auto number = ParseInt(given.text);
      if (!number || given.kind == JsonValue::Kind::kBool || !std::in_range<T>(*number)) {
        return Refuse(field, "an integer");
      }
      value = static_cast<T>(*number);
    }
    return true;
  }

  bool Refuse(const v0::FieldInfo& field, std::string_view expected) {
    problem_ = "`" + std::string(field.name) + "` must be " + std::string(expected);
    return false;
  }

  const JsonValue& from_;
  std::vector<std::string_view> names_;
  std::string problem_;
};

// Fills a request. Returns what is wrong with its form; empty if nothing is. Members that neither
// the request nor `others` has are refused: a misspelled one would be ignored silently. The
// function that takes the request checks its values (check_request.h).
template <Described T>
std::string ReadRequest(const JsonValue& from, std::span<const std::string_view> others,
                        T& request) {
  if (!from.is_object()) return "a request is a JSON object";
  ReadFields fields(from);
  Fields(fields, request);
  if (!fields.problem().empty()) return fields.problem();
  return UnknownMember(from, fields.names(), others);
}

// Fills a document, of which other versions may have further members.
template <Described T>
bool ReadDocument(const JsonValue& from, T& document) {
  if (!from.is_object()) return false;
  ReadFields fields(from);
  Fields(fields, document);
  return fields.problem().empty();
}

}  // namespace halo::describe

#endif  // HALO_DESCRIBE_READ_JSON_H_

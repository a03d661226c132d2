// Builds JSON values, and writes them on one line or as plain text. Strings that are not UTF-8 are
// repaired by the writer. What the values mean is up to the caller.
#ifndef HALO_RPC_JSON_TREE_H_
#define HALO_RPC_JSON_TREE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "halo/base/json/json_reader.h"

namespace halo::rpc {

JsonValue MakeObject();
JsonValue MakeArray();
JsonValue MakeText(std::string_view text);
JsonValue MakeBool(bool truth);
JsonValue MakeInteger(int64_t number);
// Four significant digits; null if it is not finite.
JsonValue MakeReal(double number);

// Adds a member to an object.
void Put(JsonValue& object, std::string_view key, JsonValue value);
void Put(JsonValue& object, std::string_view key, std::string_view text);
void Put(JsonValue& object, std::string_view key, const char* text);
void Put(JsonValue& object, std::string_view key, double number);
template <std::integral Int>
void Put(JsonValue& object, std::string_view key, Int number) {
  if constexpr (std::same_as<Int, bool>) {
    Put(object, key, MakeBool(number));
  } else {
    Put(object, key, MakeInteger(static_cast<int64_t>(number)));
  }
}
// Adds a member unless the text is empty.
void PutIfAny(JsonValue& object, std::string_view key, std::string_view text);

// Without spaces and newlines.
std::string CompactJson(const JsonValue& value);

// One line for each member of an object; a list of objects is a table with a column for each key.
std::string PlainText(const JsonValue& value);
// A row of such a table, with its columns, and the line of their names.
std::string PlainRow(const JsonValue& row, const JsonValue& columns);
std::string PlainHeader(const JsonValue& columns);
// The keys of all rows in order of appearance, as a list of strings. The caller may add further
// rows.
void AddColumns(const JsonValue& row, JsonValue& columns);

// Truncates every string to so many bytes, at any depth.
void ShortenStrings(size_t longest, JsonValue& value);

}  // namespace halo::rpc

#endif  // HALO_RPC_JSON_TREE_H_

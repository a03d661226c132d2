// Reads JSON into a tree, for the configurations that programs carry. The depth is bounded; a
// document is read as a whole or not at all. Numbers keep their text, because protobuf's JSON
// writes 64-bit integers as strings and both spellings must read alike.
#ifndef HALO_BASE_JSON_JSON_READER_H_
#define HALO_BASE_JSON_JSON_READER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace halo {

struct JsonValue {
  enum class Kind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool truth = false;
  std::string text;               // for a number or a string
  std::vector<std::string> keys;  // for an object
  std::vector<JsonValue> items;   // for an array, or for an object, parallel to its keys

  // A member by name; a null value if there is none, so that lookups chain.
  [[nodiscard]] const JsonValue& operator[](std::string_view key) const;
  // The same, moved out of this value, which keeps a null.
  JsonValue Take(std::string_view key);
  [[nodiscard]] bool is_null() const { return kind == Kind::kNull; }
  [[nodiscard]] bool is_object() const { return kind == Kind::kObject; }

  // Accept numbers written as strings. Return the fallback if the value is not such a number.
  [[nodiscard]] double AsDouble(double fallback) const;
  [[nodiscard]] int64_t AsInt(int64_t fallback) const;
  [[nodiscard]] bool AsBool(bool fallback) const;
  [[nodiscard]] std::string_view AsString(std::string_view fallback = {}) const;
  // An array of integers; empty if the value is not an array. Items that are not integers become
  // `bad`.
  [[nodiscard]] std::vector<int64_t> AsInts(int64_t bad = -1) const;
};

inline constexpr int kMaxJsonDepth = 64;

// Nullopt if the text is not exactly one JSON value.
std::optional<JsonValue> ParseJson(std::string_view text);

// Parse the whole text with from_chars; nullopt if it is not a number.
std::optional<double> ParseDouble(std::string_view text);
std::optional<int64_t> ParseInt(std::string_view text);

}  // namespace halo

#endif  // HALO_BASE_JSON_JSON_READER_H_

// Members keep their order. In plain text, newlines within a string become spaces.
#include "halo/rpc/json_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "halo/base/json/json_writer.h"
#include "halo/base/strings/utf8.h"

namespace halo::rpc {
namespace {

constexpr int kSignificantDigits = 4;
constexpr std::string_view kBetweenCells = " | ";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

void WriteValue(const JsonValue& value, JsonWriter& json) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: json.Null(); return;
    case JsonValue::Kind::kBool: json.Bool(value.truth); return;
    case JsonValue::Kind::kNumber: json.Raw(value.text); return;
    case JsonValue::Kind::kString: json.String(value.text); return;
    case JsonValue::Kind::kArray:
      json.BeginArray();
      for (const JsonValue& each : value.items) WriteValue(each, json);
      json.EndArray();
      return;
    case JsonValue::Kind::kObject:
      json.BeginObject();
      for (size_t i = 0; i < value.items.size(); ++i) {
        json.Key(value.keys[i]);
        WriteValue(value.items[i], json);
      }
      json.EndObject();
      return;
  }
}

bool IsScalar(const JsonValue& value) {
  return value.kind != JsonValue::Kind::kArray && value.kind != JsonValue::Kind::kObject;
}

// A value on one line.
std::string CellText(const JsonValue& value) {
  if (value.kind == JsonValue::Kind::kString || value.kind == JsonValue::Kind::kNumber) {
    std::string text = value.text;
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }
  if (value.kind == JsonValue::Kind::kArray) {
    std::string text;
    for (const JsonValue& item : value.items) {
      text += (text.empty() ? "" : ", ") + CellText(item);
    }
    return text;
  }
  if (value.is_object()) {
    std::string text;
    for (size_t i = 0; i < value.items.size(); ++i) {
      text += (i == 0 ? "" : ", ") + value.keys[i] + " " + CellText(value.items[i]);
    }
    return text;
  }
  return value.kind == JsonValue::Kind::kBool ? (value.truth ? "yes" : "no") : "-";
}

bool IsTable(const JsonValue& value) {
  return value.kind == JsonValue::Kind::kArray && !value.items.empty() &&
         std::all_of(value.items.begin(), value.items.end(),
                     [](const JsonValue& each) { return each.is_object(); });
}

}  // namespace

JsonValue MakeObject() {
  JsonValue value;
  value.kind = JsonValue::Kind::kObject;
  return value;
}

JsonValue MakeArray() {
  JsonValue value;
  value.kind = JsonValue::Kind::kArray;
  return value;
}

JsonValue MakeText(std::string_view text) {
  JsonValue value;
  value.kind = JsonValue::Kind::kString;
  value.text = text;
  return value;
}

JsonValue MakeBool(bool truth) {
  JsonValue value;
  value.kind = JsonValue::Kind::kBool;
  value.truth = truth;
  return value;
}

JsonValue MakeInteger(int64_t number) {
  JsonValue value;
  value.kind = JsonValue::Kind::kNumber;
  value.text = std::to_string(number);
  return value;
}

JsonValue MakeReal(double number) {
  JsonValue value;
  if (!std::isfinite(number)) return value;
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                 std::chars_format::general, kSignificantDigits)
                       .ptr;
  value.kind = JsonValue::Kind::kNumber;
  value.text.assign(digits.data(), end);
  return value;
}

void Put(JsonValue& object, std::string_view key, JsonValue value) {
  object.keys.emplace_back(key);
  object.items.push_back(std::move(value));
}

void Put(JsonValue& object, std::string_view key, std::string_view text) {
  Put(object, key, MakeText(text));
}

void Put(JsonValue& object, std::string_view key, const char* text) {
  Put(object, key, MakeText(text));
}

void Put(JsonValue& object, std::string_view key, double number) {
  Put(object, key, MakeReal(number));
}

void PutIfAny(JsonValue& object, std::string_view key, std::string_view text) {
  if (!text.empty()) Put(object, key, text);
}

std::string CompactJson(const JsonValue& value) {
  JsonWriter json(JsonStyle::kCompact);
  WriteValue(value, json);
  return std::string(json.view());
}

void AddColumns(const JsonValue& row, JsonValue& columns) {
  for (const std::string& key : row.keys) {
    const bool known = std::any_of(columns.items.begin(), columns.items.end(),
                                   [&](const JsonValue& each) { return each.text == key; });
    if (!known) columns.items.push_back(MakeText(key));
  }
}

std::string PlainRow(const JsonValue& row, const JsonValue& columns) {
  std::string line;
  for (const JsonValue& column : columns.items) {
    if (&column != columns.items.data()) line += kBetweenCells;
    line += CellText(row[column.text]);
  }
  return line + "\n";
}

std::string PlainHeader(const JsonValue& columns) {
  std::string line;
  for (const JsonValue& column : columns.items) {
    if (&column != columns.items.data()) line += kBetweenCells;
    line += column.text;
  }
  return line + "\n";
}

std::string PlainText(const JsonValue& value) {
  if (!value.is_object()) return CellText(value) + "\n";
  std::string out;
  for (size_t i = 0; i < value.items.size(); ++i) {
    const JsonValue& item = value.items[i];
    if (IsTable(item)) {
      JsonValue columns = MakeArray();
      for (const JsonValue& row : item.items) AddColumns(row, columns);
      out += value.keys[i] + ":\n" + PlainHeader(columns);
      for (const JsonValue& row : item.items) out += PlainRow(row, columns);
    } else if (IsScalar(item) || !item.items.empty()) {
      out += value.keys[i] + ": " + CellText(item) + "\n";
    }
  }
  return out;
}

void ShortenStrings(size_t longest, JsonValue& value) {
  for (JsonValue& item : value.items) ShortenStrings(longest, item);
  if (value.kind != JsonValue::Kind::kString || value.text.size() <= longest) return;
  // Between characters: no byte of one is left without the others.
  size_t end = longest > kEllipsis.size() ? longest - kEllipsis.size() : 0;
  while (end > 0 && (static_cast<unsigned char>(value.text[end]) & 0xC0U) == 0x80U) --end;
  value.text.resize(end);
  value.text += kEllipsis;
}

}  // namespace halo::rpc

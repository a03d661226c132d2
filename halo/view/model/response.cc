// Arrays begin at multiples of eight bytes, so that a page can view them in place.
#include "halo/view/model/response.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "halo/base/json/json_reader.h"

namespace halo::view {
namespace {

constexpr size_t kAlignment = 8;
constexpr size_t kHeader = 2 * sizeof(uint32_t);

void Pad(std::string& bytes) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
}

// Where a text may be truncated without splitting a character.
size_t CutAt(std::string_view text, size_t longest) {
  size_t at = longest;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return at;
}

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

template <class T>
T At(std::string_view bytes, size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

struct ArrayRef {
  std::string_view type;
  std::string_view bytes;  // from its beginning on
  size_t count = 0;
};

ArrayRef ArrayRefOf(const JsonValue& value, std::string_view arrays) {
  ArrayRef array;
  array.type = value["$array"].AsString();
  array.count = static_cast<size_t>(value["count"].AsInt(0));
  array.bytes = arrays.substr(std::min(arrays.size(), static_cast<size_t>(value["at"].AsInt(0))));
  return array;
}

// On one line, however long: one number per line would bury everything else.
void Inline(const ArrayRef& array, JsonWriter& json) {
  std::string text = "[";
  for (size_t i = 0; i < array.count; ++i) {
    JsonWriter item;
    if (array.type == "u8") item.Number(static_cast<uint32_t>(At<uint8_t>(array.bytes, i)));
    if (array.type == "u16") item.Number(At<uint16_t>(array.bytes, i));
    if (array.type == "u32") item.Number(At<uint32_t>(array.bytes, i));
    if (array.type == "i32") item.Number(At<int32_t>(array.bytes, i));
    if (array.type == "f32") item.Double(static_cast<double>(At<float>(array.bytes, i)));
    if (array.type == "f64") item.Double(At<double>(array.bytes, i));
    if (i != 0) text += ", ";
    text += item.view();
  }
  json.Raw(text + "]");
}

void InlineStrings(const JsonValue& strings, std::string_view arrays, JsonWriter& json) {
  const ArrayRef bytes = ArrayRefOf(strings["bytes"], arrays);
  const ArrayRef ends = ArrayRefOf(strings["ends"], arrays);
  json.BeginArray();
  size_t begin = 0;
  for (size_t i = 0; i < ends.count; ++i) {
    const size_t end = At<uint32_t>(ends.bytes, i);
    json.String(bytes.bytes.substr(begin, end - begin));
    begin = end;
  }
  json.EndArray();
}

void CopyFields(const JsonValue& object, std::string_view arrays, JsonWriter& json);

// Numbers in the text are copied verbatim.
void Copy(const JsonValue& value, std::string_view arrays, JsonWriter& json) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: json.Null(); return;
    case JsonValue::Kind::kBool: json.Bool(value.truth); return;
    case JsonValue::Kind::kNumber: json.Raw(value.text); return;
    case JsonValue::Kind::kString: json.String(value.text); return;
    case JsonValue::Kind::kArray:
      json.BeginArray();
      for (const JsonValue& item : value.items) Copy(item, arrays, json);
      json.EndArray();
      return;
    case JsonValue::Kind::kObject: break;
  }
  if (!value["$array"].is_null()) {
    Inline(ArrayRefOf(value, arrays), json);
    return;
  }
  if (value["$strings"].is_object()) {
    InlineStrings(value["$strings"], arrays, json);
    return;
  }
  json.BeginObject();
  CopyFields(value, arrays, json);
  json.EndObject();
}

void CopyFields(const JsonValue& object, std::string_view arrays, JsonWriter& json) {
  for (size_t i = 0; i < object.items.size(); ++i) {
    json.Key(object.keys[i]);
    Copy(object.items[i], arrays, json);
  }
}

}  // namespace

std::string Shortened(std::string_view text, size_t longest) {
  if (text.size() <= longest) return std::string(text);
  return std::string(text.substr(0, CutAt(text, longest))) + std::string(kEllipsis);
}

void StringColumn::Add(std::string_view text) {
  if (text.size() <= longest_) {
    bytes_ += text;
  } else {
    bytes_ += text.substr(0, CutAt(text, longest_));
    bytes_ += kEllipsis;
  }
  ends_.push_back(static_cast<uint32_t>(bytes_.size()));
}

Response::Response() { json_.BeginObject().Field("ok", true); }

void Response::Place(std::string_view type, const void* data, size_t bytes, size_t count) {
  Pad(arrays_);
  json_.BeginObject()
      .Field("$array", type)
      .Field("at", arrays_.size())
      .Field("count", count)
      .EndObject();
  arrays_.append(static_cast<const char*>(data), bytes);
}

void Response::Strings(std::string_view key, const StringColumn& column) {
  json_.Key(key).BeginObject().Key("$strings").BeginObject();
  const std::string_view bytes = column.bytes();
  json_.Key("bytes");
  Place("u8", bytes.data(), bytes.size(), bytes.size());
  Array("ends", column.ends());
  json_.EndObject().EndObject();
}

void Response::Fail(std::string_view error) {
  failed_ = true;
  json_ = JsonWriter();
  arrays_.clear();
  json_.BeginObject().Field("ok", false).Field("error", error);
}

std::string Response::TakeBlock() {
  json_.EndObject();
  const std::string_view json = json_.view();
  std::string block;
  block.reserve(kHeader + json.size() + kAlignment + arrays_.size());
  block.resize(kHeader);
  block += json;
  Pad(block);
  block += arrays_;
  const auto total = static_cast<uint32_t>(block.size());
  const auto json_bytes = static_cast<uint32_t>(json.size());
  std::memcpy(block.data(), &total, sizeof(total));
  std::memcpy(block.data() + sizeof(total), &json_bytes, sizeof(json_bytes));
  return block;
}

void PlainFields(std::string_view block, JsonWriter& json) {
  const size_t json_bytes = At<uint32_t>(block, 1);
  const size_t arrays = (kHeader + json_bytes + kAlignment - 1) / kAlignment * kAlignment;
  const std::optional<JsonValue> value = ParseJson(block.substr(kHeader, json_bytes));
  if (value) CopyFields(*value, block.substr(std::min(arrays, block.size())), json);
}

std::string PlainJson(std::string_view block) {
  JsonWriter out;
  out.BeginObject();
  PlainFields(block, out);
  out.EndObject();
  return std::string(out.view());
}

}  // namespace halo::view

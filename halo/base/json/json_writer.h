// Writes JSON into a string, one call per element. Commas and escapes are handled here; the schema
// of each document is up to the caller.
#ifndef HALO_BASE_JSON_JSON_WRITER_H_
#define HALO_BASE_JSON_JSON_WRITER_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "halo/base/strings/text_buffer.h"

namespace halo {

// Indented JSON ends with a newline. Messages of protocols are on one line without spaces.
enum class JsonStyle : uint8_t { kIndented, kCompact };

class JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style = JsonStyle::kIndented) : style_(style) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();
  JsonWriter& Key(std::string_view key);
  JsonWriter& String(std::string_view value);
  JsonWriter& Bool(bool value);
  JsonWriter& Double(double value);
  JsonWriter& Null();
  // A value that is already JSON.
  JsonWriter& Raw(std::string_view json);
  template <std::integral Int>
  JsonWriter& Number(Int value) {
    Separate();
    out_ << value;
    return *this;
  }
  template <std::integral Int>
  JsonWriter& Field(std::string_view key, Int value) {
    return Key(key).Number(value);
  }
  JsonWriter& Field(std::string_view key, bool value) { return Key(key).Bool(value); }
  JsonWriter& Field(std::string_view key, double value) { return Key(key).Double(value); }
  JsonWriter& Field(std::string_view key, std::string_view value) { return Key(key).String(value); }
  JsonWriter& Field(std::string_view key, const char* value) { return Key(key).String(value); }

  [[nodiscard]] std::string_view view() const { return out_.view(); }

 private:
  void Separate();
  void Open(char bracket);
  void Close(char bracket);

  TextBuffer out_;
  JsonStyle style_;
  std::vector<bool> has_items_;
  bool after_key_ = false;
};

}  // namespace halo

#endif  // HALO_BASE_JSON_JSON_WRITER_H_

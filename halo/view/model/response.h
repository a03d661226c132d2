// A result for the viewer as one block of bytes: a JSON document, followed by the long columns as
// typed arrays, which the JSON refers to by offset. viewer/protocol.md describes the block.
#ifndef HALO_VIEW_MODEL_RESPONSE_H_
#define HALO_VIEW_MODEL_RESPONSE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "halo/base/json/json_writer.h"

namespace halo::view {

// Many strings as one run of bytes, and where each ends.
class StringColumn {
 public:
  // Longer strings are truncated and marked with an ellipsis.
  explicit StringColumn(size_t longest = 1000) : longest_(longest) {}
  void Add(std::string_view text);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] const std::vector<uint32_t>& ends() const { return ends_; }

 private:
  size_t longest_;
  std::string bytes_;
  std::vector<uint32_t> ends_;
};

// At most `longest` bytes of a text, truncated between characters and marked with an ellipsis.
std::string Shortened(std::string_view text, size_t longest);

class Response {
 public:
  Response();

  // The object under construction; this class opens and closes it.
  JsonWriter& json() { return json_; }

  void Array(std::string_view key, std::span<const uint8_t> items) { Put(key, "u8", items); }
  void Array(std::string_view key, std::span<const uint16_t> items) { Put(key, "u16", items); }
  void Array(std::string_view key, std::span<const uint32_t> items) { Put(key, "u32", items); }
  void Array(std::string_view key, std::span<const int32_t> items) { Put(key, "i32", items); }
  void Array(std::string_view key, std::span<const float> items) { Put(key, "f32", items); }
  void Array(std::string_view key, std::span<const double> items) { Put(key, "f64", items); }
  void Strings(std::string_view key, const StringColumn& column);

  // Discards everything else in the result.
  void Fail(std::string_view error);
  [[nodiscard]] bool failed() const { return failed_; }

  // Completes the result.
  std::string TakeBlock();

 private:
  template <class T>
  void Put(std::string_view key, std::string_view type, std::span<const T> items) {
    json_.Key(key);
    Place(type, items.data(), items.size_bytes(), items.size());
  }
  void Place(std::string_view type, const void* data, size_t bytes, size_t count);

  JsonWriter json_;
  std::string arrays_;
  bool failed_ = false;
};

// The JSON of a block with its arrays inlined, for people, tests and other programs.
std::string PlainJson(std::string_view block);
// The same fields, added to an object that the caller opens and closes.
void PlainFields(std::string_view block, JsonWriter& json);

}  // namespace halo::view

#endif  // HALO_VIEW_MODEL_RESPONSE_H_

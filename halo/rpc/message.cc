// An id is echoed as it was written. Members that JSON-RPC does not know are ignored.
#include "halo/rpc/message.h"

#include <cstring>
#include <optional>
#include <utility>

#include "halo/base/strings/utf8.h"
#include "halo/rpc/json_tree.h"

namespace halo::rpc {
namespace {

Message Malformed(RpcError error, std::string problem, std::string id = "null") {
  Message message;
  message.id = std::move(id);
  message.error = error;
  message.problem = std::move(problem);
  return message;
}

// As JSON writes integers; the reader accepts other spellings of numbers.
bool IsInteger(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool has_digits_only = text.find_first_not_of("0123456789") == std::string_view::npos;
  return !text.empty() && has_digits_only && (text == "0" || text.front() != '0');
}

// JSON is UTF-8 without control characters, which the reader does not check.
bool IsPlainText(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    // Eight bytes at once where none is below 0x20 or above 0x7F: a message may be a whole
    // document.
    while (i + sizeof(uint64_t) <= text.size()) {
      constexpr uint64_t kEach = 0x0101010101010101;
      uint64_t bytes = 0;
      std::memcpy(&bytes, text.data() + i, sizeof bytes);
      if (((bytes | (bytes - 0x20 * kEach)) & (0x80 * kEach)) != 0) break;
      i += sizeof bytes;
    }
    if (i == text.size()) break;
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c < 0x80) continue;
    if (c < 0x20) {
      if (c != '\t' && c != '\r' && c != '\n') return false;
      continue;
    }
    const size_t length = Utf8Length(text.substr(i));
    if (length == 0) return false;
    i += length - 1;
  }
  return true;
}

bool Has(const JsonValue& object, std::string_view key) {
  for (const std::string& each : object.keys) {
    if (each == key) return true;
  }
  return false;
}

}  // namespace

std::string IdText(const JsonValue& value) {
  const bool is_id = value.kind == JsonValue::Kind::kString ||
                     (value.kind == JsonValue::Kind::kNumber && IsInteger(value.text));
  return is_id ? CompactJson(value) : std::string();
}

Message ReadMessage(std::string_view text, size_t longest) {
  if (text.size() > longest) {
    return Malformed(RpcError::kInvalidRequest,
                     "the message is longer than " + std::to_string(longest >> 20) + " MiB");
  }
  std::optional<JsonValue> value;
  if (IsPlainText(text)) value = ParseJson(text);
  if (!value) {
    return Malformed(RpcError::kParse, "the message is not JSON: send one object at a time");
  }
  if (value->kind == JsonValue::Kind::kArray) {
    return Malformed(RpcError::kInvalidRequest,
                     "batches are not supported: send one message at a time");
  }
  if (!value->is_object()) {
    return Malformed(RpcError::kInvalidRequest, "a message is an object");
  }
  const bool has_id = Has(*value, "id");
  const std::string id = IdText((*value)["id"]);
  if ((*value)["jsonrpc"].AsString() != "2.0") {
    return Malformed(RpcError::kInvalidRequest, "`jsonrpc` must be \"2.0\"",
                     id.empty() ? "null" : id);
  }
  Message message;
  message.id = id.empty() ? "null" : id;
  if (!Has(*value, "method")) {
    if (has_id && (Has(*value, "result") || Has(*value, "error"))) {
      message.kind = Message::Kind::kResponse;
      return message;
    }
    return Malformed(RpcError::kInvalidRequest, "there is no `method`", message.id);
  }
  if ((*value)["method"].kind != JsonValue::Kind::kString) {
    return Malformed(RpcError::kInvalidRequest, "`method` must be a string", message.id);
  }
  if (has_id && id.empty()) {
    return Malformed(RpcError::kInvalidRequest, "`id` must be a string or an integer");
  }
  message.method = (*value)["method"].AsString();
  JsonValue params = value->Take("params");
  if (!params.is_object() && !params.is_null()) {
    return Malformed(RpcError::kInvalidParams, "`params` must be an object", message.id);
  }
  message.params = std::move(params);
  message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  return message;
}

std::string ResultMessage(std::string_view id, std::string_view result) {
  std::string message;
  message.reserve(id.size() + result.size() + 64);
  message += "{\"jsonrpc\":\"2.0\",\"id\":";
  message += id;
  message += ",\"result\":";
  message += result;
  message += '}';
  return message;
}

std::string ErrorMessage(std::string_view id, RpcError error, std::string_view problem) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) +
         ",\"error\":{\"code\":" + std::to_string(static_cast<int>(error)) +
         ",\"message\":" + CompactJson(MakeText(problem)) + "}}";
}

std::string NotificationMessage(std::string_view method, std::string_view params) {
  return "{\"jsonrpc\":\"2.0\",\"method\":" + CompactJson(MakeText(method)) +
         ",\"params\":" + std::string(params) + "}";
}

}  // namespace halo::rpc

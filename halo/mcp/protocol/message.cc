// An id is echoed as it was written. Members that JSON-RPC does not know are ignored.
#include "halo/mcp/protocol/message.h"

#include <optional>
#include <utility>

#include "halo/base/strings/utf8.h"
#include "halo/mcp/protocol/json_tree.h"

namespace halo::mcp {
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

// An id or a token; empty if it is neither a string nor an integer.
std::string IdText(const JsonValue& value) {
  const bool is_id = value.kind == JsonValue::Kind::kString ||
                     (value.kind == JsonValue::Kind::kNumber && IsInteger(value.text));
  return is_id ? CompactJson(value) : std::string();
}

// JSON is UTF-8 without control characters, which the reader does not check.
bool IsPlainText(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (c < 0x20 && c != '\t' && c != '\r' && c != '\n') return false;
    if (c < 0x80) continue;
    const size_t length = Utf8Length(line.substr(i));
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

std::string Message::ProgressToken() const { return IdText(params["_meta"]["progressToken"]); }

Message ReadMessage(std::string_view line) {
  if (line.size() > kMaxMessage) {
    return Malformed(RpcError::kInvalidRequest, "the message is longer than 1 MiB");
  }
  std::optional<JsonValue> value;
  if (IsPlainText(line)) value = ParseJson(line);
  if (!value) {
    return Malformed(RpcError::kParse, "the line is not JSON: send one object on each line");
  }
  if (value->kind == JsonValue::Kind::kArray) {
    return Malformed(RpcError::kInvalidRequest,
                     "batches are not supported: send one message on "
                     "each line");
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
  const JsonValue& params = (*value)["params"];
  if (!params.is_object() && !params.is_null()) {
    return Malformed(RpcError::kInvalidParams, "`params` must be an object", message.id);
  }
  message.params = params;
  message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  return message;
}

std::string ResultMessage(std::string_view id, std::string_view result) {
  return "{\"jsonrpc\":\"2.0\",\"id\":" + std::string(id) + ",\"result\":" + std::string(result) +
         "}";
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

std::string ProgressMessage(std::string_view token, int64_t progress, std::string_view message) {
  return NotificationMessage("notifications/progress",
                             "{\"progressToken\":" + std::string(token) +
                                 ",\"progress\":" + std::to_string(progress) +
                                 ",\"message\":" + CompactJson(MakeText(message)) + "}");
}

void LineBuffer::Add(std::string_view bytes) { bytes_ += bytes; }

bool LineBuffer::Next(std::string& line, bool& is_too_long) {
  is_too_long = false;
  const size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = bytes_.size();
    if (bytes_.size() > kMaxMessage) {
      is_dropping_ = true;
      bytes_.clear();
      searched_ = 0;
    }
    return false;
  }
  line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  searched_ = 0;
  is_too_long = std::exchange(is_dropping_, false) || line.size() > kMaxMessage;
  if (is_too_long) line.clear();
  return true;
}

bool LineBuffer::Last(std::string& line) {
  line = std::exchange(bytes_, {});
  searched_ = 0;
  return !line.empty() && !is_dropping_;
}

}  // namespace halo::mcp

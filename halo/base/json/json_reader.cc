// Parses JSON by recursive descent. An escaped surrogate without its partner becomes U+FFFD.
#include "halo/base/json/json_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

#include "halo/base/strings/utf8.h"

namespace halo {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;
constexpr size_t kLongString = size_t{1} << 20;

// How many bytes precede the first quote or backslash.
size_t PlainPrefix(std::string_view text) {
  constexpr uint64_t kEach = 0x0101010101010101;
  const auto has_zero = [](uint64_t bytes) { return (bytes - kEach) & ~bytes & (0x80 * kEach); };
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if ((has_zero(bytes ^ ('"' * kEach)) | has_zero(bytes ^ ('\\' * kEach))) != 0) break;
  }
  while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
  return at;
}

class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : rest_(text) {}

  bool Document(JsonValue& value) {
    if (!Any(value, 0)) return false;
    SkipSpace();
    return rest_.empty();
  }

 private:
  void SkipSpace() {
    const size_t start = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }
  bool Take(char c) {
    SkipSpace();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool TakeWord(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool Any(JsonValue& value, int depth);
  bool Object(JsonValue& value, int depth);
  bool Items(JsonValue& value, int depth);
  bool String(std::string& out);
  bool Escape(std::string& out);
  bool CodeUnit(uint32_t& code);
  bool Number(JsonValue& value);

  std::string_view rest_;
};

// The four hexadecimal digits of \u.
bool JsonParser::CodeUnit(uint32_t& code) {
  if (rest_.size() < 4) return false;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + 4, code, 16);
  if (error != std::errc() || end != rest_.data() + 4) return false;
  rest_.remove_prefix(4);
  return true;
}

bool JsonParser::Escape(std::string& out) {
  if (rest_.empty()) return false;
  const char c = rest_.front();
  rest_.remove_prefix(1);
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const size_t at = kNames.find(c); at != std::string_view::npos) {
    out.push_back(kMeanings[at]);
    return true;
  }
  uint32_t code = 0;
  if (c != 'u' || !CodeUnit(code)) return false;
  const bool is_high = code >= 0xD800 && code < 0xDC00;
  if (is_high && rest_.starts_with("\\u")) {
    rest_.remove_prefix(2);
    uint32_t low = 0;
    if (!CodeUnit(low)) return false;
    if (low >= 0xDC00 && low < 0xE000) {
      AppendUtf8(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), out);
      return true;
    }
    AppendUtf8(kReplacement, out);
    code = low;
  }
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  AppendUtf8(is_surrogate ? kReplacement : code, out);
  return true;
}

bool JsonParser::String(std::string& out) {
  if (!Take('"')) return false;
  while (true) {
    // Up to the next quote or escape at once: a string may be a whole document, which grows in few
    // steps, because each of them copies it.
    const size_t plain = PlainPrefix(rest_);
    if (out.size() > kLongString && out.capacity() - out.size() < plain) {
      out.reserve(std::min(out.size() + rest_.size(), 4 * out.size() + plain));
    }
    out.append(rest_.substr(0, plain));
    if (plain == rest_.size()) return false;
    const bool is_end = rest_[plain] == '"';
    rest_.remove_prefix(plain + 1);
    if (is_end) return true;
    if (!Escape(out)) return false;
  }
}

bool JsonParser::Number(JsonValue& value) {
  const size_t end = rest_.find_first_not_of("+-.eE0123456789");
  const std::string_view text = rest_.substr(0, end);
  if (!ParseDouble(text)) return false;
  value.kind = JsonValue::Kind::kNumber;
  value.text = text;
  rest_.remove_prefix(text.size());
  return true;
}

bool JsonParser::Object(JsonValue& value, int depth) {
  value.kind = JsonValue::Kind::kObject;
  if (Take('}')) return true;
  do {
    if (!String(value.keys.emplace_back()) || !Take(':')) return false;
    if (!Any(value.items.emplace_back(), depth + 1)) return false;
  } while (Take(','));
  return Take('}');
}

bool JsonParser::Items(JsonValue& value, int depth) {
  value.kind = JsonValue::Kind::kArray;
  if (Take(']')) return true;
  do {
    if (!Any(value.items.emplace_back(), depth + 1)) return false;
  } while (Take(','));
  return Take(']');
}

bool JsonParser::Any(JsonValue& value, int depth) {
  if (depth > kMaxJsonDepth) return false;
  if (Take('{')) return Object(value, depth);
  if (Take('[')) return Items(value, depth);
  if (!rest_.empty() && rest_.front() == '"') {
    value.kind = JsonValue::Kind::kString;
    return String(value.text);
  }
  if (TakeWord("null")) return true;
  for (const bool truth : {true, false}) {
    if (!TakeWord(truth ? "true" : "false")) continue;
    value.kind = JsonValue::Kind::kBool;
    value.truth = truth;
    return true;
  }
  return Number(value);
}

}  // namespace

std::optional<double> ParseDouble(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || end != last) return std::nullopt;
  return number;
}

const JsonValue& JsonValue::operator[](std::string_view key) const {
  static const JsonValue kNothing;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return items[i];
  }
  return kNothing;
}

JsonValue JsonValue::Take(std::string_view key) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return std::exchange(items[i], JsonValue());
  }
  return {};
}

double JsonValue::AsDouble(double fallback) const { return ParseDouble(text).value_or(fallback); }

int64_t JsonValue::AsInt(int64_t fallback) const { return ParseInt(text).value_or(fallback); }

bool JsonValue::AsBool(bool fallback) const { return kind == Kind::kBool ? truth : fallback; }

std::string_view JsonValue::AsString(std::string_view fallback) const {
  return kind == Kind::kString ? std::string_view(text) : fallback;
}

std::vector<int64_t> JsonValue::AsInts(int64_t bad) const {
  std::vector<int64_t> out;
  out.reserve(items.size());
  for (const JsonValue& item : items) out.push_back(item.AsInt(bad));
  return out;
}

std::optional<JsonValue> ParseJson(std::string_view text) {
  JsonValue value;
  if (!JsonParser(text).Document(value)) return std::nullopt;
  return value;
}

}  // namespace halo

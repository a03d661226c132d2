// A recursive-descent parser for the few kinds of attribute that calls carry. Other kinds (enums,
// dense elements) are skipped and read as null.
#include "halo/eval/calls/mlir_attributes.h"

#include <string>

namespace halo {
namespace {

class AttributeParser {
 public:
  explicit AttributeParser(std::string_view text) : rest_(text) {}

  bool Document(JsonValue& value) {
    if (!Take('{') || !Dictionary(value, 0)) return false;
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
  std::string_view TakeToken() {
    SkipSpace();
    const std::string_view token = rest_.substr(0, rest_.find_first_of(" \t\r\n,=:<>{}[]\""));
    rest_.remove_prefix(token.size());
    return token;
  }
  bool String(std::string& out);
  bool Dictionary(JsonValue& value, int depth);
  bool Items(JsonValue& value, char close, int depth);
  bool Any(JsonValue& value, int depth);
  bool Scalar(JsonValue& value, int depth);
  void SkipRest();

  std::string_view rest_;
};

bool AttributeParser::String(std::string& out) {
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c == '"') return true;
    if (c == '\\' && !rest_.empty()) {
      out.push_back(rest_.front());
      rest_.remove_prefix(1);
    } else {
      out.push_back(c);
    }
  }
  return false;
}

// Skips a type, or anything else that follows a value, up to the separator that ends it.
void AttributeParser::SkipRest() {
  int open = 0;
  size_t at = 0;
  for (; at < rest_.size(); ++at) {
    const char c = rest_[at];
    if (open == 0 && (c == ',' || c == '}' || c == ']' || c == '>')) break;
    if (c == '<' || c == '[' || c == '{' || c == '(') ++open;
    if (c == '>' || c == ']' || c == '}' || c == ')') --open;
  }
  rest_.remove_prefix(at);
}

bool AttributeParser::Items(JsonValue& value, char close, int depth) {
  value.kind = JsonValue::Kind::kArray;
  if (Take(close)) return true;
  do {
    if (!Any(value.items.emplace_back(), depth + 1)) return false;
  } while (Take(','));
  return Take(close);
}

bool AttributeParser::Dictionary(JsonValue& value, int depth) {
  value.kind = JsonValue::Kind::kObject;
  if (Take('}')) return true;
  do {
    if (Take('"')) {
      if (!String(value.keys.emplace_back())) return false;
    } else {
      const std::string_view key = TakeToken();
      if (key.empty()) return false;
      value.keys.emplace_back(key);
    }
    JsonValue& member = value.items.emplace_back();
    if (!Take('=')) {
      member.kind = JsonValue::Kind::kBool;
      member.truth = true;
    } else if (!Any(member, depth + 1)) {
      return false;
    }
  } while (Take(','));
  return Take('}');
}

bool AttributeParser::Scalar(JsonValue& value, int depth) {
  const std::string_view token = TakeToken();
  if (token == "true" || token == "false") {
    value.kind = JsonValue::Kind::kBool;
    value.truth = token == "true";
  } else if (token == "array" && Take('<')) {
    TakeToken();  // the element type
    Take(':');    // absent if the array is empty
    return Items(value, '>', depth);
  } else if (ParseDouble(token)) {
    value.kind = JsonValue::Kind::kNumber;
    value.text = token;
  }
  return true;
}

bool AttributeParser::Any(JsonValue& value, int depth) {
  if (depth > kMaxJsonDepth) return false;
  if (Take('{')) return Dictionary(value, depth);
  if (Take('[')) {
    if (!Items(value, ']', depth)) return false;
  } else if (Take('"')) {
    value.kind = JsonValue::Kind::kString;
    if (!String(value.text)) return false;
  } else if (!Scalar(value, depth)) {
    return false;
  }
  SkipRest();
  return true;
}

}  // namespace

std::optional<JsonValue> ParseMlirAttributes(std::string_view text) {
  JsonValue value;
  if (!AttributeParser(text).Document(value)) return std::nullopt;
  return value;
}

}  // namespace halo

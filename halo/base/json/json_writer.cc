// Indents by two spaces. Bytes that are not UTF-8 become U+FFFD so that every
// reader accepts the output.
#include "halo/base/json/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "halo/base/strings/hex.h"
#include "halo/base/strings/printable.h"
#include "halo/base/strings/utf8.h"

namespace halo {
namespace {

// True if a byte is written as it is.
bool IsPlain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

void AppendIndent(size_t depth, TextBuffer& out) {
  constexpr std::string_view kSpaces = "                                ";
  out << '\n';
  for (size_t left = depth * 2; left > 0;) {
    const size_t part = std::min(left, kSpaces.size());
    out << kSpaces.substr(0, part);
    left -= part;
  }
}

void AppendEscapedUnit(uint32_t unit, TextBuffer& out) {
  out << "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out << kHexDigits[unit >> shift & 15];
}

// Characters that act on a terminal or cannot be seen: a document may be printed on one.
void AppendEscapedCode(char32_t code, TextBuffer& out) {
  if (code < 0x10000) return AppendEscapedUnit(code, out);
  AppendEscapedUnit(0xD800 + ((code - 0x10000) >> 10), out);
  AppendEscapedUnit(0xDC00 + ((code - 0x10000) & 0x3FF), out);
}

void AppendJsonString(std::string_view text, TextBuffer& out) {
  out << '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '"' || c == '\\') {
      out << '\\' << static_cast<char>(c);
    } else if (c == '\n') {
      out << "\\n";
    } else if (c == '\t') {
      out << "\\t";
    } else if (c < 0x20 || c == 0x7F) {
      AppendEscapedUnit(c, out);
    } else if (c < 0x80) {
      size_t end = i + 1;
      while (end < text.size() && IsPlain(text[end])) ++end;
      out << text.substr(i, end - i);
      i = end - 1;
    } else if (const size_t length = Utf8Length(text.substr(i))) {
      const std::string_view character = text.substr(i, length);
      const char32_t code = Utf8CodePoint(character);
      if (IsUnprintable(code)) {
        AppendEscapedCode(code, out);
      } else {
        out << character;
      }
      i += length - 1;
    } else {
      out << "\\ufffd";
    }
  }
  out << '"';
}

}  // namespace

void JsonWriter::Separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_items_.empty()) return;
  if (has_items_.back()) out_ << ',';
  has_items_.back() = true;
  if (style_ == JsonStyle::kIndented) AppendIndent(has_items_.size(), out_);
}

void JsonWriter::Open(char bracket) {
  Separate();
  out_ << bracket;
  has_items_.push_back(false);
}

void JsonWriter::Close(char bracket) {
  const bool had_items = has_items_.back();
  has_items_.pop_back();
  const bool indented = style_ == JsonStyle::kIndented;
  if (had_items && indented) AppendIndent(has_items_.size(), out_);
  out_ << bracket;
  if (has_items_.empty() && indented) out_ << '\n';
}

JsonWriter& JsonWriter::BeginObject() { return Open('{'), *this; }
JsonWriter& JsonWriter::EndObject() { return Close('}'), *this; }
JsonWriter& JsonWriter::BeginArray() { return Open('['), *this; }
JsonWriter& JsonWriter::EndArray() { return Close(']'), *this; }

JsonWriter& JsonWriter::Key(std::string_view key) {
  Separate();
  AppendJsonString(key, out_);
  out_ << (style_ == JsonStyle::kIndented ? ": " : ":");
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::String(std::string_view value) {
  Separate();
  AppendJsonString(value, out_);
  return *this;
}

JsonWriter& JsonWriter::Bool(bool value) {
  Separate();
  out_ << (value ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::Double(double value) {
  if (!std::isfinite(value)) return Null();
  Separate();
  std::array<char, 40> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out_ << std::string_view(digits.data(), static_cast<size_t>(end - digits.data()));
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  while (json.ends_with('\n')) json.remove_suffix(1);
  out_ << json;
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  out_ << "null";
  return *this;
}

}  // namespace halo

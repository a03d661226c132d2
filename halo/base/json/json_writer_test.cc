// JSON output: commas, nesting, and strings that any reader accepts.
#include "halo/base/json/json_writer.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(JsonWriter, CommasAndNesting) {
  JsonWriter json;
  json.BeginObject().Field("a", 1).Field("b", true).Field("c", "x");
  json.Key("list").BeginArray().Number(1).Number(-2).Null().BeginObject().EndObject().EndArray();
  json.Key("empty").BeginArray().EndArray();
  json.EndObject();
  EXPECT_EQ(
      json.view(),
      "{\n  \"a\": 1,\n  \"b\": true,\n  \"c\": \"x\",\n  \"list\": [\n    1,\n    -2,\n    null,\n"
      "    {}\n  ],\n  \"empty\": []\n}\n");
}

TEST(JsonWriter, CompactIsOneLine) {
  JsonWriter json(JsonStyle::kCompact);
  json.BeginObject().Field("a", 1).Key("list").BeginArray().String("x y").Null().EndArray();
  json.EndObject();
  EXPECT_EQ(json.view(), R"({"a":1,"list":["x y",null]})");
}

std::string Quoted(std::string_view text) {
  JsonWriter json;
  json.String(text);
  return std::string(json.view());
}

TEST(JsonWriter, Strings) {
  EXPECT_EQ(Quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(Quoted("\n\t\r\x01\x7F"), "\"\\n\\t\\u000d\\u0001\\u007f\"");
  EXPECT_EQ(Quoted("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"),
            "\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  // A document may be printed on a terminal: what acts on it or cannot be seen is escaped.
  EXPECT_EQ(Quoted("\xC2\x9B\u202E\u2028\uFEFF\U000E0041"),
            "\"\\u009b\\u202e\\u2028\\ufeff\\udb40\\udc41\"");
  // Bytes that are not UTF-8: stray, truncated, overlong, surrogates, beyond the last code point.
  EXPECT_EQ(Quoted("\xFF"), "\"\\ufffd\"");
  EXPECT_EQ(Quoted("\xC3"), "\"\\ufffd\"");
  EXPECT_EQ(Quoted("\xC0\x80"), "\"\\ufffd\\ufffd\"");
  EXPECT_EQ(Quoted("\xED\xA0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");
  EXPECT_EQ(Quoted("\xF4\x90\x80\x80"), "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

TEST(JsonWriter, Numbers) {
  JsonWriter json;
  json.BeginArray();
  json.Double(0.1).Double(1e300).Double(std::numeric_limits<double>::infinity());
  json.Number(std::numeric_limits<uint64_t>::max()).Number(std::numeric_limits<int64_t>::min());
  json.EndArray();
  EXPECT_EQ(json.view(),
            "[\n  0.1,\n  1e+300,\n  null,\n  18446744073709551615,\n  -9223372036854775808\n]\n");
}

}  // namespace
}  // namespace halo

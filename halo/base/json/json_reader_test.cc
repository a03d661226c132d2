// What the JSON reader accepts and what it rejects.
#include "halo/base/json/json_reader.h"

#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(JsonReader, ReadsWhatConfigsHold) {
  const auto value = ParseJson(
      R"({"alpha":1.5,"n":"-12","big":9007199254740993,"on":true,"e":"BIAS","d":["1",2],"x":null,
          "nested":{"s":"a\"\u00e9\n"}})");
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)["alpha"].AsDouble(0), 1.5);
  EXPECT_EQ((*value)["n"].AsInt(0), -12);
  EXPECT_EQ((*value)["big"].AsInt(0), 9007199254740993);
  EXPECT_TRUE((*value)["on"].AsBool(false));
  EXPECT_EQ((*value)["e"].AsString(), "BIAS");
  EXPECT_EQ((*value)["d"].AsInts(), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE((*value)["x"].is_null());
  EXPECT_EQ((*value)["nested"]["s"].AsString(), "a\"\xC3\xA9\n");
}

TEST(JsonReader, EscapedCharacters) {
  const auto value = ParseJson(R"(["\u20ac","\ud83d\ude00","\ud83d","\ude00x","\ud83d\u0041"])");
  ASSERT_TRUE(value);
  ASSERT_EQ(value->items.size(), 5u);
  EXPECT_EQ(value->items[0].AsString(), "\xE2\x82\xAC");
  EXPECT_EQ(value->items[1].AsString(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(value->items[2].AsString(), "\xEF\xBF\xBD");
  EXPECT_EQ(value->items[3].AsString(), "\xEF\xBF\xBDx");
  EXPECT_EQ(value->items[4].AsString(),
            "\xEF\xBF\xBD"
            "A");
}

TEST(JsonReader, FallsBackWhereNothingFits) {
  const auto value = ParseJson(R"({"a":"word","b":[true]})");
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)["a"].AsInt(7), 7);
  EXPECT_EQ((*value)["b"].AsInts(-3), (std::vector<int64_t>{-3}));
  EXPECT_EQ((*value)["missing"]["deeper"].AsDouble(2), 2);
  EXPECT_TRUE((*value)["a"].AsBool(true));
}

TEST(JsonReader, RefusesWhatIsNotOneValue) {
  for (const char* text : {"", "{", "{\"a\"}", "{\"a\":1,}", "[1 2]", "1 2", "\"open", "\"\\q\"",
                           "\"\\u12\"", "nul", "{a = 1}", "--1"}) {
    EXPECT_FALSE(ParseJson(text)) << text;
  }
}

TEST(JsonReader, DepthIsLimited) {
  EXPECT_TRUE(ParseJson(std::string(60, '[') + std::string(60, ']')));
  EXPECT_FALSE(ParseJson(std::string(100000, '[')));
}

}  // namespace
}  // namespace halo

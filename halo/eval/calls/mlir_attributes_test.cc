// Tests which attribute dictionaries are accepted and which are rejected.
#include "halo/eval/calls/mlir_attributes.h"

#include <string>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(MlirAttributes, ReadsWhatCallsCarry) {
  const auto value = ParseMlirAttributes(
      R"({uplo = 76 : ui8, scale = 8.8388e-02 : f64, left = -1 : i64, on = true, unit, name = "a\"b",
          list = [1 : i64, 2 : i64], dense = array<i64: 3, 4>, inner = {x = 1 : i32},
          kind = #stablehlo<dot algorithm>, last = 5 : i64})");
  ASSERT_TRUE(value);
  EXPECT_EQ((*value)["uplo"].AsInt(0), 76);
  EXPECT_EQ((*value)["scale"].AsDouble(0), 8.8388e-02);
  EXPECT_EQ((*value)["left"].AsInt(0), -1);
  EXPECT_TRUE((*value)["on"].AsBool(false));
  EXPECT_TRUE((*value)["unit"].AsBool(false));
  EXPECT_EQ((*value)["name"].AsString(), "a\"b");
  EXPECT_EQ((*value)["list"].AsInts(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ((*value)["dense"].AsInts(), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ((*value)["inner"]["x"].AsInt(0), 1);
  EXPECT_TRUE((*value)["kind"].is_null());
  EXPECT_EQ((*value)["last"].AsInt(0), 5);
}

TEST(MlirAttributes, EmptyAndMalformed) {
  EXPECT_TRUE(ParseMlirAttributes("{}"));
  for (const char* text : {"", "x", "{", "{=}", "{a = }x", "{a = 1", "{a = [1}", "{a = \"x}"}) {
    EXPECT_FALSE(ParseMlirAttributes(text)) << text;
  }
  std::string deep;
  for (int i = 0; i < 10000; ++i) deep += "{a = ";
  EXPECT_FALSE(ParseMlirAttributes(deep));
}

}  // namespace
}  // namespace halo

// Tests of sizes as people write them.
#include "halo/base/strings/byte_size.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(ByteSizeTest, NumbersWithUnits) {
  EXPECT_EQ(BytesFromText("80GiB"), int64_t{80} << 30);
  EXPECT_EQ(BytesFromText("1.5K"), 1536);
  EXPECT_EQ(BytesFromText("16GB"), 16'000'000'000);
  EXPECT_EQ(BytesFromText("4096"), 4096);
  EXPECT_FALSE(BytesFromText("").has_value());
  EXPECT_FALSE(BytesFromText("GiB").has_value());
  EXPECT_FALSE(BytesFromText("1e9").has_value());
  EXPECT_FALSE(BytesFromText("99999999999TiB").has_value());
}

}  // namespace
}  // namespace halo

// Sizes as XLA's memory reports print them. The pairs come from such reports, except for the
// extremes.
#include "halo/base/strings/human_size.h"

#include <cstdint>

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(HumanBytes, AsXlaPrints) {
  EXPECT_EQ(HumanBytes(0), "0B");
  EXPECT_EQ(HumanBytes(1023), "1023B");
  EXPECT_EQ(HumanBytes(1024), "1.0KiB");
  EXPECT_EQ(HumanBytes(52968), "51.7KiB");
  EXPECT_EQ(HumanBytes(217316), "212.2KiB");
  EXPECT_EQ(HumanBytes(1792512), "1.71MiB");
  EXPECT_EQ(HumanBytes(11539562), "11.00MiB");
  EXPECT_EQ(HumanBytes(1916797696), "1.79GiB");
  EXPECT_EQ(HumanBytes(2034323508), "1.89GiB");
  EXPECT_EQ(HumanBytes((int64_t{1} << 20) - 1), "1024.0KiB");
  EXPECT_EQ(HumanBytes(INT64_MAX), "8.00EiB");
  EXPECT_EQ(HumanBytes(-2048), "-2.0KiB");
  EXPECT_EQ(HumanBytes(INT64_MIN), "-8.00EiB");
}

TEST(GroupedDigits, ByThrees) {
  EXPECT_EQ(GroupedDigits(0), "0");
  EXPECT_EQ(GroupedDigits(999), "999");
  EXPECT_EQ(GroupedDigits(1000), "1,000");
  EXPECT_EQ(GroupedDigits(-1234567), "-1,234,567");
}

TEST(Counted, WithOrWithoutAnS) {
  EXPECT_EQ(Counted(0, "value"), "0 values");
  EXPECT_EQ(Counted(1, "value"), "1 value");
  EXPECT_EQ(Counted(1234, "value"), "1,234 values");
}

}  // namespace
}  // namespace halo

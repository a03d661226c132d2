// Labels in any order, and those that name a dimension twice or not at all.
#include "halo/eval/dim_labels.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(DimLabels, AnyOrder) {
  const auto labels = ParseDimLabels("1fb0_o01i->0b1f");
  ASSERT_TRUE(labels);
  EXPECT_EQ(labels->input.first, 2);
  EXPECT_EQ(labels->input.second, 1);
  EXPECT_EQ(labels->input.spatial, (std::vector<int64_t>{3, 0}));
  EXPECT_EQ(labels->kernel.first, 3);
  EXPECT_EQ(labels->kernel.second, 0);
  EXPECT_EQ(labels->output.spatial, (std::vector<int64_t>{0, 2}));
  EXPECT_TRUE(ParseDimLabels("bf_io->bf"));
}

TEST(DimLabels, Wrong) {
  for (const char* text : {"", "bf", "bf_io", "bf->bf", "b0f_0io->bf", "b00f_01io->b01f",
                           "b02f_01io->b01f", "01_01->01", "b?f_?io->b?f", "->_"}) {
    EXPECT_FALSE(ParseDimLabels(text)) << text;
  }
}

}  // namespace
}  // namespace halo

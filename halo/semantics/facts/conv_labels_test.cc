// Tests labels in any order, and labels that name a dimension twice or not at all.
#include "halo/semantics/facts/conv_labels.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(ConvLabels, AnyOrder) {
  const auto labels = ParseConvLabels("1fb0_o01i->0b1f");
  ASSERT_TRUE(labels);
  EXPECT_EQ(labels->input.batch, 2u);
  EXPECT_EQ(labels->input.feature, 1u);
  EXPECT_EQ(labels->input.spatial, (std::vector<size_t>{3, 0}));
  EXPECT_EQ(labels->kernel.batch, 3u);
  EXPECT_EQ(labels->kernel.feature, 0u);
  EXPECT_EQ(labels->output.spatial, (std::vector<size_t>{0, 2}));
  EXPECT_TRUE(ParseConvLabels("bf_io->bf"));
}

TEST(ConvLabels, Wrong) {
  for (const char* text : {"", "bf", "bf_io", "bf->bf", "b0f_0io->bf", "b00f_01io->b01f",
                           "b02f_01io->b01f", "01_01->01", "b?f_?io->b?f", "->_"}) {
    EXPECT_FALSE(ParseConvLabels(text)) << text;
  }
}

}  // namespace
}  // namespace halo

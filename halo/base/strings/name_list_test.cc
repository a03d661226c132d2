// Tests of lists of names.
#include "halo/base/strings/name_list.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(NameListTest, CommasBetweenBracesBelongToNames) {
  EXPECT_EQ(SplitNames("gather.2{1,1},b,"), (std::vector<std::string>{"gather.2{1,1}", "b"}));
  EXPECT_TRUE(SplitNames("").empty());
}

}  // namespace
}  // namespace halo

// Tests plugins next to the test program: one from another build, one that is not a plugin, and a
// missing one.
#include "halo/plugins/load_plugin.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "halo/base/build_id.h"

namespace halo {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LoadPluginTest, BuildIdIsAHash) {
  EXPECT_EQ(std::string_view(BuildId()).size(), 32U);
  EXPECT_EQ(std::string_view(BuildId()).find_first_not_of("0123456789abcdef"),
            std::string_view::npos);
}

TEST(LoadPluginTest, RefusesAPluginOfAnotherBuild) {
  ASSERT_TRUE(HasPlugin("libhalo_other_build.so"));
  std::string problem;
  EXPECT_EQ(LoadPlugin("libhalo_other_build.so", problem), nullptr);
  EXPECT_THAT(problem, AllOf(HasSubstr("libhalo_other_build.so comes from another build"),
                             HasSubstr("build id 00000000000000000000000000000000, expected " +
                                       std::string(BuildId())),
                             HasSubstr("build and install it together with this program")));
}

TEST(LoadPluginTest, SaysThatThereIsNone) {
  std::string problem;
  EXPECT_FALSE(HasPlugin("libhalo_no_such.so"));
  EXPECT_EQ(LoadPlugin("libhalo_no_such.so", problem), nullptr);
  EXPECT_EQ(problem, "this build has no libhalo_no_such.so");
}

}  // namespace
}  // namespace halo

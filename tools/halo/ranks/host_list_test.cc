// Tests which lists of hosts are accepted and what is said about the others.
#include "tools/halo/ranks/host_list.h"

#include <string>

#include <gtest/gtest.h>

namespace halo::tool {
namespace {

TEST(HostList, CountsRanks) {
  const HostList list = ParseHosts("a:4,b.example.org,10.0.0.3:12");
  EXPECT_EQ(list.problem, "");
  ASSERT_EQ(list.hosts.size(), 3U);
  EXPECT_EQ(list.ranks(), 17);
  EXPECT_EQ(list.Text(), "a:4,b.example.org:1,10.0.0.3:12");
}

TEST(HostList, RefusesWhatIsNoHost) {
  EXPECT_EQ(ParseHosts("").problem, "'' is not the name of a host");
  EXPECT_EQ(ParseHosts("a:4,").problem, "'' is not the name of a host");
  EXPECT_EQ(ParseHosts("-x").problem, "'-x' is not the name of a host");
  EXPECT_EQ(ParseHosts("a;reboot").problem, "'a;reboot' is not the name of a host");
  EXPECT_EQ(ParseHosts("$(id):2").problem, "'$(id)' is not the name of a host");
  EXPECT_EQ(ParseHosts("a b").problem, "'a b' is not the name of a host");
  EXPECT_NE(ParseHosts(std::string(300, 'a')).problem, "");
}

TEST(HostList, RefusesWrongNumbers) {
  for (const std::string wrong : {"", "0", "-1", "4x", "4097", "99999999999999999999", "1:2"}) {
    EXPECT_EQ(ParseHosts("a:" + wrong).problem,
              "'" + wrong + "' is not a number of ranks from 1 to 4096");
  }
  EXPECT_EQ(ParseHosts("a:2,b,a").problem, "'a' is specified more than once");
}

}  // namespace
}  // namespace halo::tool

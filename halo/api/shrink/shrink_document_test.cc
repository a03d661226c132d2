// Tests how sizes and constants are read from a request.
#include "halo/api/shrink/shrink_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(ShrinkRequestTest, ReadsSizesAndConstants) {
  documents::ShrinkRequest asked;
  asked.to = 4096;
  asked.dim = {"512=64", "8=2"};
  asked.constant = {"%c.1=1,-2,3"};
  const Result<ShrinkOptions> wanted = RequestOf(asked);
  ASSERT_TRUE(wanted.ok());
  EXPECT_EQ(wanted->bytes, 4096);
  EXPECT_THAT(wanted->dims, ElementsAre(Pair(512, 64), Pair(8, 2)));
  EXPECT_THAT(wanted->constants, ElementsAre(Pair("c.1", ElementsAre(1, -2, 3))));
  EXPECT_FALSE(wanted->devices.has_value());
}

std::string Refused(const documents::ShrinkRequest& asked) {
  const Result<ShrinkOptions> wanted = RequestOf(asked);
  return wanted.ok() ? "" : wanted.error().message;
}

std::string RefusedDim(const std::string& dim) {
  documents::ShrinkRequest asked;
  asked.dim = {dim};
  return Refused(asked);
}

std::string RefusedConstant(const std::string& constant) {
  documents::ShrinkRequest asked;
  asked.constant = {constant};
  return Refused(asked);
}

TEST(ShrinkRequestTest, RefusesWhatItCannotRead) {
  EXPECT_THAT(Refused({}), HasSubstr("specify the target size"));
  EXPECT_THAT(RefusedDim("512"), HasSubstr("--dim takes OLD=NEW, not 512"));
  EXPECT_THAT(RefusedDim("512=x"), HasSubstr("--dim takes"));
  EXPECT_THAT(RefusedConstant("c=1,,2"), HasSubstr("--constant takes"));
  EXPECT_THAT(RefusedConstant("c"), HasSubstr("--constant takes"));
  documents::ShrinkRequest small;
  small.devices = 2;
  small.smallest = 0;
  EXPECT_THAT(Refused(small), HasSubstr("`smallest`"));
}

}  // namespace
}  // namespace halo

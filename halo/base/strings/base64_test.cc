// Base64 padding.
#include "halo/base/strings/base64.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(Base64, PadsToFours) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("\xff\xfe\xfd\xfc"), "//79/A==");
}

}  // namespace
}  // namespace halo

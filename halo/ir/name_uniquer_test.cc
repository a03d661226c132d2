// Names are made unique as in XLA.
#include "halo/ir/name_uniquer.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

TEST(NameUniquer, CountsPerRoot) {
  NameUniquer names;
  EXPECT_EQ(names.Unique("add"), "add");
  EXPECT_EQ(names.Unique("add"), "add.1");
  EXPECT_EQ(names.Unique("add.3"), "add.3");
  EXPECT_EQ(names.Unique("add.1"), "add.2");
  EXPECT_EQ(names.Unique("add"), "add.4");
  EXPECT_EQ(names.Unique("mul.7"), "mul.7");
  EXPECT_EQ(names.Unique("mul"), "mul");
  EXPECT_EQ(names.Unique("x.0"), "x.0");
  EXPECT_EQ(names.Unique("x"), "x.1");
}

TEST(NameUniquer, KeepsNamesLegal) {
  NameUniquer names;
  EXPECT_EQ(names.Unique(""), "name");
  EXPECT_EQ(names.Unique("1 two"), "a_two");
  EXPECT_EQ(names.Unique("a b%c"), "a_b_c");
  EXPECT_EQ(names.Unique("f32"), "f32_");
  EXPECT_EQ(names.Unique("tuple"), "tuple");
  EXPECT_EQ(names.Unique("__gemm"), "a_gemm");
  EXPECT_EQ(names.Unique("__xla_x"), "__xla_x");
  EXPECT_EQ(names.Unique("reduce-scatter"), "reduce-scatter");
}

}  // namespace
}  // namespace halo

// Checks GEMMs of small f32 matrices against plain loops, at sizes around vectors and register
// blocks, in all orders of the operands.
#include <gtest/gtest.h>

#include "halo/codegen/library/products/lib_product.h"
#include "halo/codegen/test/product_check.h"

namespace halo {
namespace {

using enum ElementType;

constexpr int64_t kSizes[][3] = {
    {1, 1, 1},   {2, 3, 5},    {3, 16, 1},  {5, 300, 64}, {6, 33, 15},  {7, 2, 17},
    {8, 64, 10}, {12, 40, 31}, {13, 8, 48}, {16, 7, 4},   {25, 19, 63}, {33, 100, 65},
    {64, 9, 33}, {70, 1, 20},  {61, 16, 8}, {40, 5, 2},   {4, 520, 4},  {29, 130, 64}};

TEST(LibSmallGemmTest, AgreesWithPlainLoops) {
  for (const auto& [m, k, n] : kSizes) {
    for (int form = 0; form < 8; ++form) {
      // Without gaps nothing may be read behind the last line.
      for (const int64_t gap : {0, 3}) {
        CheckProduct(MakeSmallGemm, {.a = kF32,
                                     .b = kF32,
                                     .c = kF32,
                                     .m = m,
                                     .k = k,
                                     .n = n,
                                     .a_along_k = (form & 1) != 0,
                                     .b_along_k = (form & 2) != 0,
                                     .c_by_rows = (form & 4) != 0,
                                     .alpha = gap == 0 ? 1.0 : -0.5,
                                     .gap = gap});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LibSmallDotsTest, AgreesWithPlainLoops) {
  constexpr int64_t kFewLines[][3] = {{4, 50, 5},   {6, 64, 30}, {30, 100, 6},
                                      {5, 300, 64}, {5, 63, 7},  {4, 1030, 4}};
  for (const auto& [m, k, n] : kFewLines) {
    for (const bool by_rows : {false, true}) {
      for (const int64_t gap : {0, 3}) {
        CheckProduct(MakeSmallDots, {.a = kF32,
                                     .b = kF32,
                                     .c = kF32,
                                     .m = m,
                                     .k = k,
                                     .n = n,
                                     .a_along_k = true,
                                     .b_along_k = true,
                                     .c_by_rows = by_rows,
                                     .alpha = gap == 0 ? 1.0 : -0.5,
                                     .gap = gap});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Adding to the result, broadcast operands and large matrices are left to others.
TEST(LibSmallGemmTest, LeavesTheRestToOthers) {
  Product p;
  p.a_type = p.b_type = p.c_type = kF32;
  p.m = p.n = p.k = 32;
  p.a = p.b = p.c = {.row = 32, .column = 1, .batch = {}};
  EXPECT_NE(MakeSmallGemm(p), nullptr);
  Product adds = p;
  adds.beta = 1;
  EXPECT_EQ(MakeSmallGemm(adds), nullptr);
  Product broadcast = p;
  broadcast.b.row = 0;
  EXPECT_EQ(MakeSmallGemm(broadcast), nullptr);
  Product large = p;
  large.m = large.n = large.k = 2048;
  large.a = large.b = large.c = {.row = 2048, .column = 1, .batch = {}};
  EXPECT_EQ(MakeSmallGemm(large), nullptr);
}

}  // namespace
}  // namespace halo

// The vectorization factors of loops that are only a few vectors long.
#include "halo/codegen/ir/loop_ir.h"

#include <gtest/gtest.h>

namespace halo {
namespace {

void ExpectFit(int width, int interleave, int64_t length, int fit_width, int fit_interleave) {
  const LoopHints fit = FitHints({width, interleave, true}, length);
  EXPECT_EQ(fit.width, fit_width) << length;
  EXPECT_EQ(fit.interleave, fit_interleave) << length;
}

TEST(LoopIrTest, ShortLoopsAreWholeVectors) {
  ExpectFit(16, 4, 64, 16, 4);
  ExpectFit(16, 4, 48, 16, 1);
  ExpectFit(16, 4, 24, 8, 1);
  ExpectFit(16, 4, 12, 4, 1);
  ExpectFit(16, 2, 100, 16, 2);
  ExpectFit(16, 0, 32, 16, 2);
  ExpectFit(16, 0, 3, 2, 1);
  ExpectFit(16, 0, 1, 1, 1);
}

TEST(LoopIrTest, LongLoopsKeepTheirFactors) {
  ExpectFit(16, 0, 1024, 16, 0);
  ExpectFit(16, 8, 1 << 20, 16, 8);
}

}  // namespace
}  // namespace halo

// What shrinking costs where many instructions call one large computation. What it does to
// programs is in the golden files.
#include "halo/shrink/shrink.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "halo/text/read/read_text.h"

namespace halo {
namespace {

// `count` calls of a computation of as many instructions.
std::string CalledOften(int count, const std::string& call) {
  const auto chain = [&](const std::string& of, const std::string& op) {
    std::string text = "  " + of + "0 = f32[8]{0} parameter(0)\n";
    for (int i = 1; i <= count; ++i) {
      text += (i == count ? "  ROOT " : "  ") + of + std::to_string(i) + " = f32[8]{0} ";
      std::string made = op;
      for (size_t at = made.find('@'); at != std::string::npos; at = made.find('@')) {
        made.replace(at, 1, of + std::to_string(i - 1));
      }
      text += made + "\n";
    }
    return text + "}\n";
  };
  return "HloModule m\n\nf {\n" + chain("q", "negate(@)") +
         "\nENTRY e {\n  k = s32[] parameter(1)\n" + chain("c", call);
}

double SecondsFor(int count, const std::string& call) {
  const TextReadResult read = ReadHloText(CalledOften(count, call));
  EXPECT_TRUE(read.diagnostics.ok());
  ShrinkOptions options;
  options.dims = {{8, 4}};
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(Shrink(read.module, options).refused, "");
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the calls may take sixteen times as long; a quadratic cost would be 64 times.
TEST(Shrink, TheCostOfManyCallsOfALargeComputationIsNearLinear) {
  for (const std::string call :
       {"call(@), to_apply=f", "conditional(k, @, @), branch_computations={f, f}"}) {
    const double small = SecondsFor(4'000, call);
    EXPECT_LT(SecondsFor(32'000, call), 16 * small + 0.05) << call;
  }
}

}  // namespace
}  // namespace halo

// What looking for lost values costs where a library call reads and makes many arrays, and where a
// conditional has many branches. What copies are inserted is tested with prepared modules, in
// halo/codegen.
#include "halo/passes/memory/insert_copies.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "halo/passes/test/helpers.h"

namespace halo {
namespace {

std::string WideCall(int count) {
  const std::string array = "f32[8]{0}";
  std::string text = "HloModule m\n\nENTRY e {\n  p = " + array + " parameter(0)\n";
  std::string operands, results;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  x" + n + " = " + array + " negate(p)\n";
    operands += (i == 0 ? "x" : ", x") + n;
    results += (i == 0 ? "" : ", ") + array;
  }
  return text + "  c = (" + results + ") custom-call(" + operands +
         "), custom_call_target=\"wide\"\n  ROOT r = " + array +
         " get-tuple-element(c), index=0\n}\n";
}

std::string Branches(int count) {
  std::string text = "HloModule m\n\n", names, operands;
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "f" + n + " {\n  q = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} negate(q)\n}\n\n";
    names += (i == 0 ? "f" : ", f") + n;
    operands += ", p";
  }
  return text +
         "ENTRY e {\n  i = s32[] parameter(0)\n  p = f32[4]{0} parameter(1)\n"
         "  ROOT r = f32[4]{0} conditional(i" +
         operands + "), branch_computations={" + names + "}\n}\n";
}

double SecondsFor(const std::string& text) {
  const Module module = ReadModule(text);
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    PassLog log;
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(InsertCopies(module, log).ok());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  return least;
}

// Eight times the arrays may take sixteen times as long; a quadratic cost would be 64 times.
TEST(InsertCopies, TheCostOfAWideCallIsNearLinear) {
  const double small = SecondsFor(WideCall(1'000));
  EXPECT_LT(SecondsFor(WideCall(8'000)), 16 * small + 0.05);
}

TEST(InsertCopies, TheCostOfManyBranchesIsNearLinear) {
  const double small = SecondsFor(Branches(4'000));
  EXPECT_LT(SecondsFor(Branches(32'000)), 16 * small + 0.05);
}

}  // namespace
}  // namespace halo

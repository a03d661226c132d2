// Checks sorts by comparators that no library recognizes against the evaluator.
#include <string>

#include <gtest/gtest.h>

#include "halo/codegen/test/kernel_check.h"

namespace halo {
namespace {

std::string SortBy(const std::string& type, const std::string& comparison, const std::string& dims,
                   int dim) {
  const std::string shape = type + dims;
  return OneOp("x = " + shape + " parameter(0)",
               shape + " sort(x), dimensions={" + std::to_string(dim) + "}, to_apply=less",
               "less {\n a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n" +
                   comparison + "}\n");
}

TEST(LowerSortTest, ComputedKeys) {
  for (const std::string type : {"f32", "bf16", "f64", "s32", "u8", "s4"}) {
    const std::string squares = " m = " + type + "[] multiply(a, a)\n n = " + type +
                                "[] multiply(b, b)\n ROOT r = pred[] compare(m, n), direction=LT\n";
    for (const std::string dims : {"[1000]", "[2]", "[1]", "[3,65,5]{1,2,0}", "[200,33]{0,1}"}) {
      ExpectKernel(SortBy(type, squares, dims, dims.size() > 6 ? 1 : 0), {.specials = true});
    }
  }
}

// As XLA's compiler for GPUs writes a total order.
TEST(LowerSortTest, BitsOfFloats) {
  for (const auto& [type, bits] : {std::pair("f32", "s32"), std::pair("bf16", "s16"),
                                   std::pair("f64", "s64"), std::pair("f16", "u16")}) {
    std::string comparison;
    for (const std::string x : {"a", "b"}) {
      comparison += " " + x + "i = " + bits + "[] bitcast(" + x + ")\n " + x + "x = " + bits +
                    "[] not(" + x + "i)\n " + x + "o = " + bits + "[] minimum(" + x + "i, " + x +
                    "x)\n";
    }
    comparison += " ROOT r = pred[] compare(ao, bo), direction=GT\n";
    ExpectKernel(SortBy(type, comparison, "[300]", 0), {.specials = true});
  }
}

// What such a comparator sorts to depends on which elements are compared, in which order.
TEST(LowerSortTest, ComparatorsThatAreNoOrder) {
  const std::string any = " ROOT r = pred[] constant(true)\n";
  const std::string mixed =
      " m = s32[] multiply(a, a)\n ROOT r = pred[] compare(m, b), direction=LT\n";
  for (const std::string& comparison : {any, mixed}) {
    for (const std::string dims : {"[100]", "[7,65]"}) {
      ExpectKernel(SortBy("s32", comparison, dims, dims.size() > 5 ? 1 : 0), {});
    }
  }
}

// Complex numbers have no order; JAX compares their parts.
TEST(LowerSortTest, ComplexNumbersInPlace) {
  for (const auto& [type, part] : {std::pair("c64", "f32"), std::pair("c128", "f64")}) {
    std::string comparison;
    for (const std::string x : {"a", "b"}) {
      comparison += " " + x + "r = " + part + "[] real(" + x + ")\n " + x + "i = " + part +
                    "[] imag(" + x + ")\n";
    }
    comparison +=
        " lt = pred[] compare(ar, br), direction=LT\n eq = pred[] compare(ar, br), direction=EQ\n"
        " next = pred[] compare(ai, bi), direction=LT\n ROOT r = pred[] select(eq, next, lt)\n";
    ExpectKernel(SortBy(type, comparison, "[300]", 0),
                 {.result_over_operand = std::pair<size_t, size_t>(0, 0)});
  }
}

TEST(LowerSortTest, SeveralOperands) {
  ExpectKernel(
      OneOp("x = s32[90,13] parameter(0)\n y = f32[90,13]{0,1} parameter(1)\n"
            " z = u8[90,13] parameter(2)",
            "(s32[90,13], f32[90,13], u8[90,13]) sort(x, y, z), dimensions={1}, to_apply=less",
            "less {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n c = f32[] parameter(2)\n"
            " d = f32[] parameter(3)\n e = u8[] parameter(4)\n f = u8[] parameter(5)\n"
            " two = s32[] constant(2)\n ah = s32[] divide(a, two)\n bh = s32[] divide(b, two)\n"
            " lt = pred[] compare(ah, bh), direction=LT\n"
            " eq = pred[] compare(ah, bh), direction=EQ\n"
            " gt = pred[] compare(c, d), direction=GT\n both = pred[] and(eq, gt)\n"
            " ROOT r = pred[] or(lt, both)\n}\n"),
      {});
}

TEST(LowerSortTest, ComparatorsOnMoreThanScalarsAreRefused) {
  EXPECT_EQ(WhyNot(SortBy("s32",
                          " v = s32[3] broadcast(a), dimensions={}\n"
                          " w = s32[1] slice(v), slice={[0:1]}\n s = s32[] reshape(w)\n"
                          " ROOT r = pred[] compare(s, b), direction=LT\n",
                          "[5]", 0)),
            "a comparator that is not a computation on scalars");
}

}  // namespace
}  // namespace halo

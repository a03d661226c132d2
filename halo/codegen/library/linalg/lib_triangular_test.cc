// Checks factors and solutions against the evaluator's.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "halo/codegen/test/library_check.h"

namespace halo {
namespace {

TEST(LibTriangularTest, Cholesky) {
  for (const std::string type : {"f32", "f64"}) {
    const double tolerance = type == "f32" ? 2e-7 : 1e-14;
    for (const std::string dims :
         {"[1,1]", "[5,5]", "[64,64]", "[65,65]{0,1}", "[300,300]", "[3,2,20,20]{2,3,1,0}"}) {
      for (const char* lower : {"true", "false"}) {
        const std::string text = "HloModule m\nENTRY e {\n x = " + type + dims +
                                 " parameter(0)\n ROOT r = " + type + dims +
                                 " cholesky(x), lower=" + lower + "\n}\n";
        EXPECT_EQ(
            CheckLibraryOp(text, {.seed = 2, .tolerance = tolerance, .prepare = MakeDefinite}), "")
            << text;
      }
    }
    // No factor exists: all NaN.
    const std::string text = "HloModule m\nENTRY e {\n x = " + type +
                             "[70,70] parameter(0)\n ROOT r = " + type +
                             "[70,70] cholesky(x), lower=true\n}\n";
    const auto negative = [](std::vector<Array>& inputs) {
      MakeDefinite(inputs);
      Array& a = inputs[0];
      StoreFloat(a.type(), -1, a.MutableBytes() + 66 * 71 * a.element_bytes());
    };
    EXPECT_EQ(CheckLibraryOp(text, {.seed = 2, .tolerance = 1e-7, .prepare = negative}), "");
  }
}

TEST(LibTriangularTest, Solve) {
  for (const std::string type : {"f32", "f64"}) {
    const double tolerance = type == "f32" ? 2e-7 : 1e-14;
    for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
      for (const char* lower : {"true", "false"}) {
        for (const bool left : {true, false}) {
          for (const std::string n : {"9", "130"}) {
            const std::string b = left ? "[2," + n + ",7]{1,2,0}" : "[2,7," + n + "]";
            const std::string text =
                "HloModule m\nENTRY e {\n a = " + type + "[2," + n + "," + n +
                "] parameter(0)\n b = " + type + b + " parameter(1)\n ROOT r = " + type + b +
                " triangular-solve(a, b), left_side=" + (left ? "true" : "false") +
                ", lower=" + lower + ", unit_diagonal=" + (n == "9" ? "true" : "false") +
                ", transpose_a=" + transpose + "\n}\n";
            const auto settle = [&](std::vector<Array>& inputs) {
              if (n != "9") MakeDefinite(inputs);
            };
            EXPECT_EQ(CheckLibraryOp(text, {.seed = 2, .tolerance = tolerance, .prepare = settle}),
                      "")
                << text;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace halo

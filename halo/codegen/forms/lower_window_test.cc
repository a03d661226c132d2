// Checks windows and scatters against the evaluator.
#include <gtest/gtest.h>

#include "halo/codegen/test/kernel_check.h"

namespace halo {
namespace {

std::string WindowCombiner(const std::string& type, const std::string& op) {
  return "f {\nx = " + type + "[] parameter(0)\ny = " + type + "[] parameter(1)\nROOT s = " + type +
         "[] " + op + "(x, y)\n}\n";
}

void ExpectWindow(const std::string& type, const std::string& op, const std::string& from,
                  const std::string& to, const std::string& window, int64_t summed = 1) {
  ExpectKernel(OneOp("a = " + type + from + " parameter(0)\nz = " + type + "[] parameter(1)",
                     type + to + " reduce-window(a, z), window={" + window + "}, to_apply=f",
                     WindowCombiner(type, op)),
               {.summed = summed});
}

TEST(WindowKernelTest, Pools) {
  ExpectWindow("f32", "maximum", "[2,9,9,20]", "[2,5,5,20]",
               "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0");
  ExpectWindow("f32", "add", "[2,9,9,20]{2,1,3,0}", "[2,7,7,20]{1,2,3,0}", "size=1x3x3x1", 9);
  ExpectWindow("bf16", "add", "[40,40]", "[38,38]", "size=2x2 rhs_dilate=2x2", 4);
  ExpectWindow("s32", "add", "[5,7]", "[9,15]", "size=1x2 pad=0_0x1_2 lhs_dilate=2x2");
  ExpectWindow("f32", "minimum", "[300]", "[200]", "size=101");
  ExpectWindow("s32", "add", "[4,100]", "[4,2]", "size=1x10 stride=1x200 pad=0_0x0_110");
}

TEST(WindowKernelTest, Scans) {
  ExpectWindow("f32", "add", "[19,300]", "[19,300]", "size=1x300 pad=0_0x299_0", 300);
  ExpectWindow("f32", "add", "[19,300]", "[19,300]", "size=1x300 pad=0_0x0_299", 300);
  ExpectWindow("f32", "add", "[300,19]", "[300,19]", "size=300x1 pad=299_0x0_0", 300);
  ExpectWindow("f32", "maximum", "[3,30,700]", "[3,30,700]", "size=1x30x1 pad=0_0x0_29x0_0");
  ExpectWindow("s32", "add", "[2,3,16]{0,2,1}", "[2,3,16]{0,2,1}", "size=1x1x16 pad=0_0x0_0x15_0");
  ExpectWindow("bf16", "add", "[5,64]", "[5,64]", "size=1x64 pad=0_0x63_0", 64);
  ExpectWindow("f32", "subtract", "[5,64]", "[5,64]", "size=1x64 pad=0_0x63_0", 64);
}

TEST(WindowKernelTest, SelectAndScatter) {
  const auto pool = [](const std::string& type, const std::string& from, const std::string& to,
                       const std::string& window) {
    return OneOp(
        "a = " + type + from + " parameter(0)\ns = " + type + to + " parameter(1)\nz = " + type +
            "[] parameter(2)",
        type + from + " select-and-scatter(a, s, z), window={" + window + "}, select=g, scatter=f",
        "g {\nx = " + type + "[] parameter(0)\ny = " + type +
            "[] parameter(1)\nROOT c = pred[] compare(x, y), direction=GE\n}\n" +
            WindowCombiner(type, "add"));
  };
  ExpectKernel(
      pool("f32", "[2,9,9,70]", "[2,5,5,70]", "size=1x3x3x1 stride=1x2x2x1 pad=0_0x1_1x1_1x0_0"),
      {.summed = 9});
  ExpectKernel(pool("bf16", "[2,8,8,3]{2,1,3,0}", "[2,7,7,3]", "size=1x2x2x1"), {.summed = 4});
  ExpectKernel(pool("s32", "[40]", "[6]", "size=20 stride=5 pad=5_0"));
}

TEST(WindowKernelTest, Scatter) {
  const KernelCheck wild{.lowest = -2, .highest = 7, .summed = 20};
  const auto rows = [](const std::string& type, const std::string& columns, const std::string& op) {
    return OneOp("a = " + type + "[6," + columns +
                     "] parameter(0)\ni = s32[20,1] parameter(1)\nu = " + type + "[20," + columns +
                     "] parameter(2)",
                 type + "[6," + columns +
                     "] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, "
                     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f",
                 WindowCombiner(type, op));
  };
  ExpectKernel(rows("f32", "40", "add"), wild);
  ExpectKernel(rows("f32", "700", "add"), wild);
  ExpectKernel(rows("f32", "1", "add"), wild);
  ExpectKernel(rows("bf16", "300", "add"), wild);
  ExpectKernel(rows("s32", "40", "maximum"), wild);
  ExpectKernel(rows("f32", "40", "multiply"), {.lowest = -2, .highest = 7, .summed = 20});
  KernelCheck in_place = wild;
  in_place.result_over_operand = {{0, 0}};
  ExpectKernel(rows("f32", "700", "add"), in_place);
  ExpectKernel(rows("bf16", "300", "add"), in_place);
  // The last update wins; two-dimensional windows, other layouts, several index dimensions.
  ExpectKernel(OneOp("a = f32[6,9,5]{0,1,2} parameter(0)\ni = s64[2,4,2] parameter(1)\n"
                     "u = f32[2,2,4,5] parameter(2)",
                     "f32[6,9,5]{0,1,2} scatter(a, i, u), update_window_dims={1,3}, "
                     "inserted_window_dims={1}, scatter_dims_to_operand_dims={1,0}, "
                     "index_vector_dim=2, to_apply=f",
                     "f {\nx = f32[] parameter(0)\nROOT y = f32[] parameter(1)\n}\n"),
               wild);
  ExpectKernel(OneOp("a = f32[3,6,40] parameter(0)\ni = s32[3,7] parameter(1)\n"
                     "u = f32[3,7,40] parameter(2)",
                     "f32[3,6,40] scatter(a, i, u), update_window_dims={2}, "
                     "inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                     "input_batching_dims={0}, scatter_indices_batching_dims={0}, "
                     "index_vector_dim=2, to_apply=f",
                     WindowCombiner("f32", "add")),
               wild);
  ExpectKernel(OneOp("a = f32[8] parameter(0)\nb = s32[8] parameter(1)\ni = s32[9,1] parameter(2)\n"
                     "u = f32[9] parameter(3)\nv = s32[9] parameter(4)",
                     "(f32[8], s32[8]) scatter(a, b, i, u, v), update_window_dims={}, "
                     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                     "index_vector_dim=1, to_apply=f",
                     "f {\na = f32[] parameter(0)\nb = s32[] parameter(1)\nc = f32[] parameter(2)\n"
                     "d = s32[] parameter(3)\ns = f32[] multiply(a, c)\nt = s32[] add(b, d)\n"
                     "ROOT r = (f32[], s32[]) tuple(s, t)\n}\n"),
               wild);
}

}  // namespace
}  // namespace halo

// Checks row and column reductions against the evaluator.
#include <gtest/gtest.h>

#include "halo/codegen/test/kernel_check.h"

namespace halo {
namespace {

// A computation named `f` that combines two scalars of a type.
std::string Combiner(const std::string& type, const std::string& op) {
  return "f {\nx = " + type + "[] parameter(0)\ny = " + type + "[] parameter(1)\nROOT s = " + type +
         "[] " + op + "(x, y)\n}\n";
}

void ExpectReduce(const std::string& type, const std::string& op, const std::string& from,
                  const std::string& to, const std::string& dims, int64_t summed) {
  ExpectKernel(
      OneOp("a = " + type + from + " parameter(0)\nz = " + type + "[] parameter(1)",
            type + to + " reduce(a, z), dimensions={" + dims + "}, to_apply=f", Combiner(type, op)),
      {.summed = summed, .specials = op == "maximum"});
}

TEST(ReduceKernelTest, Rows) {
  ExpectReduce("f32", "add", "[33,70]{1,0}", "[33]", "1", 70);
  ExpectReduce("f32", "maximum", "[33,70]{1,0}", "[33]", "1", 1);
  ExpectReduce("bf16", "add", "[5,700]{1,0}", "[5]", "1", 700);
  ExpectReduce("bf16", "multiply", "[5,9]{1,0}", "[5]", "1", 9);
  ExpectReduce("f64", "add", "[5,700]{1,0}", "[5]", "1", 700);
  ExpectReduce("c64", "add", "[5,70]{1,0}", "[5]", "1", 70);
  ExpectReduce("s32", "minimum", "[4,5,6]{2,1,0}", "[4]", "1,2", 1);
  ExpectReduce("u8", "add", "[4,100]{1,0}", "[4]", "1", 1);
  ExpectReduce("pred", "and", "[4,100]{1,0}", "[4]", "1", 1);
  ExpectReduce("f32", "add", "[40,50]{0,1}", "[50]", "0", 40);
  ExpectReduce("f32", "add", "[6,7,80]{2,1,0}", "[7]", "0,2", 480);
  ExpectReduce("f32", "add", "[6,7,1]{2,1,0}", "[6]{0}", "1,2", 7);
  ExpectReduce("f32", "add", "[6,7]{1,0}", "[6,7]", "", 1);
  ExpectReduce("f32", "add", "[6,0]{1,0}", "[6]", "1", 1);
  ExpectReduce("f32", "subtract", "[6,9]{1,0}", "[6]", "1", 9);
}

TEST(ReduceKernelTest, TinyRows) {
  for (const char* type : {"f32", "bf16", "f64", "c64", "s8", "u64"}) {
    ExpectReduce(type, "add", "[1000,3]{1,0}", "[1000]", "1", 3);
    ExpectReduce(type, "multiply", "[167,8]{1,0}", "[167]", "1", 8);
    ExpectReduce(type, "add", "[5,170,2,2]{3,2,1,0}", "[5,170]{0,1}", "2,3", 4);
  }
  ExpectReduce("f32", "maximum", "[1000,4]{1,0}", "[1000]", "1", 1);
  ExpectReduce("pred", "or", "[1000,5]{1,0}", "[1000]", "1", 1);
  ExpectReduce("f32", "subtract", "[1000,7]{1,0}", "[1000]", "1", 7);
  // The mean, and the mean of the squared differences from it.
  ExpectKernel(
      "HloModule m\n" + Combiner("f32", "add") +
          "g {\na = f32[433,3] parameter(0)\nz = f32[] constant(0)\nt = f32[] constant(3)\n"
          "s = f32[433] reduce(a, z), dimensions={1}, to_apply=f\n"
          "n = f32[433] broadcast(t), dimensions={}\nm = f32[433] divide(s, n)\n"
          "b = f32[433,3] broadcast(m), dimensions={0}\nd = f32[433,3] subtract(a, b)\n"
          "q = f32[433,3] multiply(d, d)\nv = f32[433] reduce(q, z), dimensions={1}, to_apply=f\n"
          "ROOT r = (f32[433], f32[433]) tuple(m, v)\n}\n"
          "ENTRY e {\na = f32[433,3] parameter(0)\n"
          "ROOT r = (f32[433], f32[433]) fusion(a), kind=kInput, calls=g\n}\n",
      {.summed = 12});
  // Results of every position beside those of the rows.
  ExpectKernel(
      "HloModule m\n" + Combiner("f64", "add") +
          "g {\na = f64[50,3] parameter(0)\nz = f64[] constant(0)\n"
          "i = f64[50,50,3] broadcast(a), dimensions={0,2}\n"
          "j = f64[50,50,3] broadcast(a), dimensions={1,2}\nd = f64[50,50,3] subtract(i, j)\n"
          "q = f64[50,50,3] multiply(d, d)\n"
          "s = f64[50,50] reduce(q, z), dimensions={2}, to_apply=f\n"
          "ROOT r = (f64[50,50], f64[50,50,3]) tuple(s, d)\n}\n"
          "ENTRY e {\na = f64[50,3] parameter(0)\n"
          "ROOT r = (f64[50,50], f64[50,50,3]) fusion(a), kind=kInput, calls=g\n}\n",
      {.summed = 3});
}

// Rows that are reduced inside the computation of an element, vectorized from some length on.
TEST(ReduceKernelTest, RowsOfAnUpdate) {
  for (const auto& [type, op] :
       std::vector<std::pair<std::string, std::string>>{{"f32", "add"},
                                                        {"f32", "maximum"},
                                                        {"bf16", "add"},
                                                        {"c64", "add"},
                                                        {"f64", "multiply"},
                                                        {"s8", "minimum"},
                                                        {"f32", "subtract"}}) {
    for (const int columns : {31, 32, 65, 100}) {
      const std::string from = type + "[7," + std::to_string(columns) + "]";
      ExpectKernel("HloModule m\n" + Combiner(type, op) + "g {\na = " + from +
                       " parameter(0)\nz = " + type + "[] parameter(1)\nd = " + type +
                       "[5,7] parameter(2)\ni = s32[] parameter(3)\nj = s32[] constant(0)\nm = " +
                       from + " multiply(a, a)\ns = " + type +
                       "[7] reduce(m, z), dimensions={1}, to_apply=f\nb = " + type +
                       "[1,7] bitcast(s)\nROOT u = " + type +
                       "[5,7] dynamic-update-slice(d, b, i, j)\n}\nENTRY e {\na = " + from +
                       " parameter(0)\nz = " + type + "[] parameter(1)\nd = " + type +
                       "[5,7] parameter(2)\ni = s32[] parameter(3)\nROOT r = " + type +
                       "[5,7] fusion(a, z, d, i), kind=kLoop, calls=g\n}\n",
                   {.summed = columns, .specials = op == "maximum"});
    }
  }
}

TEST(ReduceKernelTest, Everything) {
  ExpectReduce("f32", "add", "[200,1000]{1,0}", "[]", "0,1", 200000);
  ExpectReduce("s32", "add", "[3,100000]{1,0}", "[3]", "1", 1);
  ExpectReduce("f32", "maximum", "[100000]{0}", "[]", "0", 1);
  ExpectReduce("bf16", "add", "[70000]{0}", "[]", "0", 70000);
  ExpectReduce("c128", "add", "[200,1000]{1,0}", "[]", "0,1", 200000);
}

TEST(ReduceKernelTest, Columns) {
  ExpectReduce("f32", "add", "[70,33]{1,0}", "[33]", "0", 70);
  ExpectReduce("f32", "add", "[1000,1500]{1,0}", "[1500]", "0", 1000);
  ExpectReduce("bf16", "add", "[1000,1500]{1,0}", "[1500]", "0", 1000);
  ExpectReduce("f32", "maximum", "[1000,1500]{1,0}", "[1500]", "0", 1);
  ExpectReduce("f32", "subtract", "[100,1500]{1,0}", "[1500]", "0", 100);
  ExpectReduce("f32", "add", "[6,7,8,9]{3,2,1,0}", "[7,9]{0,1}", "0,2", 48);
  ExpectReduce("f32", "add", "[6,7,8,9]{0,1,2,3}", "[6,8]", "1,3", 63);
  ExpectReduce("f32", "add", "[100000,3]{1,0}", "[3]", "0", 100000);
  ExpectReduce("pred", "or", "[50,20]{1,0}", "[20]", "0", 1);
  ExpectReduce("c64", "add", "[106,57,37]{2,1,0}", "[37]", "0,1", 6042);
}

TEST(ReduceKernelTest, LongColumnsAreSummedByChunks) {
  // The first four use the tolerance of a single addition, which one long chain of additions
  // exceeds.
  ExpectReduce("f32", "add", "[100352,64]{1,0}", "[64]", "0", 1);
  ExpectReduce("f32", "add", "[32,56,56,64]{3,2,1,0}", "[64]", "0,1,2", 1);
  ExpectReduce("f32", "add", "[5000,3000]{1,0}", "[3000]", "0", 1);
  ExpectReduce("f32", "add", "[90,7,90,11]{3,2,1,0}", "[7,11]", "0,2", 1);
  ExpectReduce("f32", "add", "[9,7,6,11,130]{4,3,2,1,0}", "[7,11,130]", "0,2", 54);
  ExpectReduce("c64", "add", "[131,7]{1,0}", "[7]", "0", 131);
}

TEST(ReduceKernelTest, Variadic) {
  const std::string larger =
      "f {\na = f32[] parameter(0)\ni = s32[] parameter(1)\nb = f32[] parameter(2)\n"
      "j = s32[] parameter(3)\nc = pred[] compare(a, b), direction=GE\n"
      "m = f32[] select(c, a, b)\nk = s32[] select(c, i, j)\n"
      "ROOT t = (f32[], s32[]) tuple(m, k)\n}\n";
  const auto reduce = [&](const std::string& kept, const std::string& along) {
    return OneOp(
        "a = f32[9,40] parameter(0)\ni = s32[9,40] parameter(1)\n"
        "z = f32[] parameter(2)\ny = s32[] parameter(3)",
        "(f32" + kept + ", s32" + kept + ") reduce(a, i, z, y), dimensions={" + along +
            "}, to_apply=f",
        larger);
  };
  ExpectKernel(reduce("[9]", "1"));
  ExpectKernel(reduce("[40]", "0"));
}

constexpr const char* kSoftmax =
    "HloModule m\nadd {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
    "ROOT s = f32[] add(x, y)\n}\nmax {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
    "ROOT s = f32[] maximum(x, y)\n}\n"
    "f {\na = f32[SIZE] parameter(0)\ni = f32[] constant(-inf)\nz = f32[] constant(0)\n"
    "m = f32[ROWS] reduce(a, i), dimensions={1}, to_apply=max\n"
    "mb = f32[SIZE] broadcast(m), dimensions={0}\ns = f32[SIZE] subtract(a, mb)\n"
    "e = f32[SIZE] exponential(s)\nt = f32[ROWS] reduce(e, z), dimensions={1}, to_apply=add\n"
    "tb = f32[SIZE] broadcast(t), dimensions={0}\nd = f32[SIZE] divide(e, tb)\n"
    "l = f32[ROWS] log(t)\nROOT o = (f32[SIZE], f32[ROWS]) tuple(d, l)\n}\n"
    "ENTRY e {\na = f32[SIZE] parameter(0)\n"
    "ROOT r = (f32[SIZE], f32[ROWS]) fusion(a), kind=kInput, calls=f\n}\n";

std::string Softmax(const std::string& rows, const std::string& columns) {
  std::string text = kSoftmax;
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
      text.replace(at, what.size(), by);
    }
  };
  replace("SIZE", rows + "," + columns);
  replace("ROWS", rows);
  return text;
}

TEST(ReduceKernelTest, Softmax) {
  ExpectKernel(Softmax("40", "100"), {.summed = 100});
  ExpectKernel(Softmax("3", "70001"), {.summed = 70001});
  ExpectKernel(Softmax("1", "1"));
  ExpectKernel(Softmax("1000", "3"), {.summed = 3});
  ExpectKernel(Softmax("165", "8"), {.summed = 8});
  // Larger than the caches: written with non-temporal stores.
  ExpectKernel(Softmax("2051", "4099"), {.summed = 4099});
}

TEST(ReduceKernelTest, DividesByWhateverTheRowSumsTo) {
  ExpectKernel(
      "HloModule m\nadd {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT s = f32[] add(x, y)\n}\n"
      "f {\na = f32[60,40] parameter(0)\nb = f32[60] parameter(1)\nz = f32[] constant(0)\n"
      "zb = f32[60,40] broadcast(z), dimensions={}\nn = f32[60,40] multiply(a, zb)\n"
      "k = f32[] constant(1e-39)\nkb = f32[60] broadcast(k), dimensions={}\n"
      "s = f32[60] reduce(n, z), dimensions={1}, to_apply=add\nt = f32[60] add(s, b)\n"
      "tiny = f32[60] multiply(t, kb)\nc = pred[60] compare(b, s), direction=GT\n"
      "u = f32[60] select(c, t, tiny)\nub = f32[60,40] broadcast(u), dimensions={0}\n"
      "ab = f32[60,40] multiply(a, ub)\nROOT d = f32[60,40] divide(ab, ub)\n}\n"
      "ENTRY e {\na = f32[60,40] parameter(0)\nb = f32[60] parameter(1)\n"
      "ROOT r = f32[60,40] fusion(a, b), kind=kInput, calls=f\n}\n");
}

TEST(ReduceKernelTest, LayerNorm) {
  ExpectKernel(
      "HloModule m\nadd {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT s = f32[] add(x, y)\n}\n"
      "f {\nh = bf16[4,6,96] parameter(0)\ng = f32[96] parameter(1)\nz = f32[] constant(0)\n"
      "k = f32[] constant(0.0104166667)\na = f32[4,6,96] convert(h)\n"
      "r = f32[24,96] reshape(a)\nm = f32[24] reduce(r, z), dimensions={1}, to_apply=add\n"
      "kb = f32[24] broadcast(k), dimensions={}\nmm = f32[24] multiply(m, kb)\n"
      "m2 = f32[4,6] reshape(mm)\nmb = f32[4,6,96] broadcast(m2), dimensions={0,1}\n"
      "c = f32[4,6,96] subtract(a, mb)\nq = f32[4,6,96] multiply(c, c)\n"
      "v = f32[4,6] reduce(q, z), dimensions={2}, to_apply=add\n"
      "k2 = f32[4,6] broadcast(k), dimensions={}\nvv = f32[4,6] multiply(v, k2)\n"
      "rs = f32[4,6] rsqrt(vv)\nrb = f32[4,6,96] broadcast(rs), dimensions={0,1}\n"
      "n = f32[4,6,96] multiply(c, rb)\ngb = f32[4,6,96] broadcast(g), dimensions={2}\n"
      "ng = f32[4,6,96] multiply(n, gb)\nROOT o = bf16[4,6,96] convert(ng)\n}\n"
      "ENTRY e {\nh = bf16[4,6,96] parameter(0)\ng = f32[96] parameter(1)\n"
      "ROOT r = bf16[4,6,96] fusion(h, g), kind=kInput, calls=f\n}\n",
      {.summed = 96});
}

TEST(ReduceKernelTest, FusedColumns) {
  ExpectKernel(
      "HloModule m\nadd {\nx = f32[] parameter(0)\ny = f32[] parameter(1)\n"
      "ROOT s = f32[] add(x, y)\n}\n"
      "f {\na = bf16[70,5,96] parameter(0)\nb = bf16[96] parameter(1)\nz = f32[] constant(0.5)\n"
      "c = f32[70,5,96] convert(a)\nq = f32[70,5,96] multiply(c, c)\n"
      "s = f32[96] reduce(c, z), dimensions={0,1}, to_apply=add\n"
      "t = f32[96] reduce(q, z), dimensions={0,1}, to_apply=add\n"
      "w = f32[96] convert(b)\nu = f32[96] multiply(s, w)\nv = bf16[96] convert(u)\n"
      "ROOT o = (bf16[96], f32[96]) tuple(v, t)\n}\n"
      "ENTRY e {\na = bf16[70,5,96] parameter(0)\nb = bf16[96] parameter(1)\n"
      "ROOT r = (bf16[96], f32[96]) fusion(a, b), kind=kInput, calls=f\n}\n",
      {.summed = 350});
}

}  // namespace
}  // namespace halo
